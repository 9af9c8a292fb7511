"""Importing one's own gold pairs in the browser and over the API."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from accounts.models import ApiToken
from accounts.services.tokens import make_token
from config import clock
from judging.campaign.campaign_settings import change_settings
from judging.models import GoldPair
from pooling.models import AddedFiles, Passage
from pooling.passages.passages import add_sources
from tests.due_jobs import work_off_everything
from tests.factories import make_qrels
from tests.judging.conftest import crowd as crowd
from tests.web.preparing_cast import DRAFT, draft as draft, fair as fair, manager as manager, texts

OWN = b"q0 q0-a q1-b\nq1\tq1-a\tnew-one\n"


def bring(manager, content=OWN):
    file = SimpleUploadedFile("own.txt", content)
    return manager.post(f"{DRAFT}gold/bring", {"file": file}, follow=True)


def test_own_pairs_are_accepted_and_their_missing_texts_fetched(manager, draft, tmp_path):
    source = tmp_path / "passages.tsv"
    source.write_text("new-one\tthe text of it\n")
    add_sources(collection=draft.collection, paths=[source])

    page = bring(manager)
    work_off_everything()

    assert "2 gold pairs of your own accepted." in texts(page)
    assert set(draft.gold_pairs.values_list("state", "decided_by")) == {("accepted", "mia, file own.txt")}
    assert Passage.objects.get(pid="new-one").text == "the text of it"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"q0 q0-a\n", "own.txt, line 1: expected 3 or 4 columns"),
        (b"q0 q0-a q1-b\nq9 a b\n", "own.txt, line 2: the collection has no query"),
        (b"\xff\xfe\n", "own.txt, line 1: the line is not UTF-8 text"),
        (b"q0 a \x00\n", "own.txt, line 1: an id is longer than 300 bytes or contains a NUL"),
        (b"q0 a " + b"b" * 301, "an id is longer"),
        (b"\n\n", "the file is empty"),
    ],
)
def test_a_wrong_line_is_named_and_nothing_is_imported(manager, draft, content, words):
    assert words in texts(bring(manager, content))
    assert not GoldPair.objects.exists()


def test_a_pair_that_was_proposed_or_dropped_is_accepted_and_a_suspended_one_stays(manager, draft):
    bring(manager, b"q0 q0-a q1-b\nq1 q1-a q0-b\nq2 q2-a q0-b\n")
    pairs = list(draft.gold_pairs.order_by("query__qid"))
    for pair, state in zip(pairs, ("proposed", "dropped", "suspended"), strict=True):
        GoldPair.objects.filter(pk=pair.pk).update(state=state)

    bring(manager, b"q0 q0-a q1-b\nq1 q1-a q0-b\nq2 q2-a q0-b\n")

    states = draft.gold_pairs.order_by("query__qid").values_list("state", flat=True)
    assert list(states) == ["accepted", "accepted", "suspended"]


def test_labels_with_passages_that_are_not_relevant_are_offered_first(manager, draft):
    make_qrels(draft.collection, "zz-graded", [("q0", "q0-a", 2), ("q0", "q0-b", 0)], min_grade=2)

    assert "Take answers from zz-graded official" in texts(manager.get(f"{DRAFT}gold/"))


def test_a_pool_without_labels_offers_a_next_step(manager, draft):
    draft.pool.qrel_set = None
    draft.pool.save()

    page = manager.get(f"{DRAFT}gold/")
    manager.post(f"{DRAFT}gold/propose")
    work_off_everything()
    refused = manager.get(f"{DRAFT}gold/")

    assert "add your own pairs" in texts(page)
    assert "Propose gold pairs" not in texts(page)
    assert "<details open><summary>Add your own gold pairs" in page.content.decode()
    for terminal in ("manage.py", "--qrels", "--gold"):
        assert terminal not in texts(refused)
    assert "has no qrels" in texts(refused)


def test_a_pool_without_texts_leads_to_passages_or_to_simulated_workers(manager, draft):
    assert "No passages of this campaign have texts" not in texts(manager.get(f"{DRAFT}gold/"))
    Passage.objects.update(text=None)

    page = manager.get(f"{DRAFT}gold/")
    draft.placeholder_text = True
    draft.save()

    assert "No passages of this campaign have texts" in texts(page)
    assert f'href="{DRAFT}settings/#id_placeholder_text"' in page.content.decode()
    assert 'id="id_placeholder_text"' in manager.get(f"{DRAFT}settings/").content.decode()
    assert "No passages of this campaign have texts" not in texts(manager.get(f"{DRAFT}gold/"))


def test_a_refusal_is_gone_once_the_settings_or_the_files_have_changed(manager, draft):
    Passage.objects.update(text=None)
    told = "No passages of this campaign have texts, so no gold pair can be proposed for people."

    def refuse():
        manager.post(f"{DRAFT}gold/propose")
        work_off_everything()

    refuse()
    assert "No passages of this campaign have texts." in texts(manager.get(f"{DRAFT}gold/"))
    change_settings(draft, {"placeholder_text": True})
    page = texts(manager.get(f"{DRAFT}gold/"))
    assert "No passages of this campaign have texts" not in page
    assert "Propose gold pairs" in page

    change_settings(draft, {"placeholder_text": False})
    refuse()
    Passage.objects.update(text="words")
    assert told in texts(manager.get(f"{DRAFT}gold/"))
    AddedFiles.objects.create(collection=draft.collection, state="added", finished_at=clock.now())
    assert told not in texts(manager.get(f"{DRAFT}gold/"))


def test_own_pairs_over_http(client, fair, draft):
    token = make_token(user=fair.mia, name="t", scopes=ApiToken.Scope.values, days=1)[1]

    def post(content, named="?file_name=own.txt"):
        headers = {"Authorization": f"Bearer {token}"}
        address = f"/api/v1/campaigns/fair/gold/file{named}"
        return client.post(address, content, content_type="text/plain", headers=headers)

    first, again, wrong = post(OWN), post(OWN, named=""), post(b"q0 a\n")

    assert (first.status_code, first.json()["accepted"]) == (200, 2)
    assert again.json()["accepted"] == 2
    assert (wrong.status_code, wrong["Content-Type"]) == (422, "application/problem+json")
    assert "own.txt, line 1" in wrong.json()["detail"]


def test_a_command_imports_them_too(draft, tmp_path, capsys):
    file = tmp_path / "own.txt"
    file.write_bytes(OWN)

    call_command("import_gold", "fair", str(file), "--json")

    assert json.loads(capsys.readouterr().out)["accepted"] == 2
