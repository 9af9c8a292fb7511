"""Pages and API calls about the details of runs."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from pooling.models import AnnouncedRun, Run
from pooling.teams.run_fields import set_run_fields
from tests.web.api_caller import RUNS, api as api, problem

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
TABLE = "run\tgroup\tsubtask\tnDCG@10\nquay\tOtters\trerank\t0.5\nlater\tSeals\tfullrank\t0.6\n"
PAGE = "/collections/harbour/runs/metadata/"


def test_a_table_is_checked_then_used_and_announced_runs_are_listed(cast):
    client = cast.clients["maintainer"]

    checked = client.post(PAGE, {"pasted": TABLE, "check_only": "1"}).content.decode()
    assert "The table is correct." in checked
    assert not AnnouncedRun.objects.exists()

    sent = SimpleUploadedFile("runs.tsv", TABLE.encode())
    done = client.post(PAGE, {"table": sent}, follow=True).content.decode()

    assert "1 run described, 1 run announced, 0 left unchanged." in done
    assert "subtask fullrank" in done
    assert Run.objects.get(run_tag="quay").details["subtask"] == "rerank"
    page = client.get(f"/collections/harbour/runs/{Run.objects.get(run_tag='quay').pk}/").content.decode()
    assert "<dt>Subtask</dt>" in page
    gone = client.post("/collections/harbour/runs/announced/", {"run": "later"}, follow=True).content.decode()
    assert "1 announced run withdrawn." in gone
    assert not AnnouncedRun.objects.exists()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "Choose a file, or paste the table."),
        ({"pasted": "run\tsubtask\nquay\t<b>x</b>\n"}, "the table, line 2: subtask: Subtask cannot be"),
        ({"table": SimpleUploadedFile("x.tsv", b"run\n\xff\xfe\n")}, "is not UTF-8 text"),
    ],
)
def test_a_wrong_table_is_answered_on_the_page(cast, given, said):
    answer = cast.clients["maintainer"].post(PAGE, given)

    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert "<b>x</b>" not in answer.content.decode()


def test_an_owner_chooses_what_is_asked_and_teams_see_it_on_the_form(cast):
    client = cast.clients["owner"]
    page = "/collections/harbour/runs/fields/"

    answer = client.post(
        page, {"asked": ["subtask"], "own": "tuned | Tuned on | Which split. | train, dev\n"}
    )

    assert answer.status_code == 302
    form = client.get("/collections/harbour/runs/send/").content.decode()
    assert "Which split." in form
    assert "it reorders the candidates" in form
    assert "Latency per query" not in form
    wrong = client.post(page, {"asked": ["subtask"], "own": "team | Team"})
    assert wrong.status_code == 422
    assert "cannot be called" in wrong.content.decode()


def test_a_described_run_keeps_details_that_are_not_asked_for(cast):
    run = Run.objects.get(run_tag="quay")
    Run.objects.filter(pk=run.pk).update(details={"neural": "nn", "latency": 3.5, "dense": False})
    set_run_fields(collection=run.collection, asked=["neural", "dense"], own=[], who="ann")
    client, page = cast.clients["maintainer"], f"/collections/harbour/runs/{run.pk}/describe/"

    shown = client.get(page).content.decode()
    client.post(page, {"team": "Otters", "neural": "nnlm", "dense": "no"})

    assert '<option value="no" selected>' in shown
    run.refresh_from_db()
    assert run.details == {"latency": 3.5, "neural": "nnlm", "dense": False}


def test_programs_read_the_fields_and_send_tables_and_details(api, published):
    told = api.client.get("/api/v1/collections/harbour/run-fields", headers=api.headers).json()
    subtask = next(one for one in told if one["name"] == "subtask")
    assert subtask["choices"].keys() == {"fullrank", "rerank"}
    assert subtask["asked"]
    assert not subtask["required"]

    done = api.post("/collections/harbour/run-metadata", {"table": TABLE.replace("quay", "deep")})
    told = done.json()
    assert (told["described"], told["announced"], told["unchanged"]) == (["deep"], ["later"], [])
    assert set(told["changes"]) == {"deep", "later"}

    def change(**said):
        address = f"{RUNS}/{published.deep.pk}"
        return api.client.patch(address, said, content_type="application/json", headers=api.headers)

    changed = change(details={"subtask": None, "stage": "multi"}, run_type="x").json()
    assert changed["details"] == {"reported": {"nDCG@10": 0.5}, "stage": "multi", "family": "x"}
    assert changed["run_type"] == "x"
    wrong = problem(change(details={"subtask": "both"}), 422)
    assert "Choose one of: fullrank, rerank." in wrong["next_step"]
    assert published.collection.announced_runs.count() == 1
