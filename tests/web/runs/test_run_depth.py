"""The maximum number of passages per query in a run: a collection's setting that applies to every way of import."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from pooling.models import Run, RunUpload
from tests.due_jobs import work_off_everything
from tests.web.api_caller import api as api

DEEP = (
    b"".join(b"q1 Q0 p%d %d %d far\n" % (n, n, 9 - n) for n in range(1, 5))
    + b"q2 Q0 a x 1 far\nq8 Q0 a 1 1 far\n"
)
TOLD = [(3, "too many passages"), (5, "rank"), (6, "unknown query")]


@pytest.fixture
def shallow(cast):
    """The collection allows two passages per query in a run, as set on its page."""
    client = cast.clients["maintainer"]
    page = client.get("/collections/harbour/about/").content.decode()
    assert "Most passages per query" in page
    said = {"title": "", "description": "", "license": "", "citation": "", "language": "en"}
    client.post("/collections/harbour/about/", said | {"max_run_depth": "2"})
    cast.collection.refresh_from_db()
    assert cast.collection.max_run_depth == 2
    assert cast.collection.changes.filter(what__startswith="at most 2 passages per query").exists()
    return cast


def test_the_page_names_the_line_and_every_other_problem(shallow, data_dir):
    client = shallow.clients["maintainer"]
    sent = {"release": "private", "run_files": [SimpleUploadedFile("deep.txt", DEEP)]}
    client.post("/collections/harbour/runs/send/", sent)
    work_off_everything()

    upload = RunUpload.objects.get(file_name="deep.txt")
    assert [(one["line"], one["kind"]) for one in upload.problems] == TOLD
    assert (
        "query q1 has more than 2 passages"
        in client.get(f"/collections/harbour/uploads/{upload.pk}/").content.decode()
    )


def test_the_api_names_the_line_and_changes_the_setting(api, data_dir):
    changed = api.client.patch(
        "/api/v1/collections/harbour",
        json.dumps({"max_run_depth": 2}),
        content_type="application/json",
        headers=api.headers,
    )
    sent = api.send(DEEP)
    work_off_everything()

    assert changed.json()["max_run_depth"] == 2
    told = api.client.get(sent["Location"], headers=api.headers).json()
    assert [(one["line"], one["kind"]) for one in told["problems"]] == TOLD


@pytest.mark.parametrize("command", ["check_run", "import_runs"])
def test_commands_name_every_problem(shallow, tmp_path, capsys, command):
    path, other = tmp_path / "deep.txt", tmp_path / "more.txt"
    path.write_bytes(DEEP)
    other.write_bytes(b"".join(b"q1 Q0 p%d no 1 more\n" % n for n in range(120)))
    asked = {
        "check_run": [str(path), "--collection", "harbour"],
        "import_runs": ["harbour", str(path), str(other)],
    }

    with pytest.raises(SystemExit):
        call_command(command, *asked[command], "--json")

    said = capsys.readouterr()
    refused = json.loads(said.out)["refused"]
    assert [one.partition(": ")[0] for one in refused[:3]] == [f"{path}, line {line}" for line, _ in TOLD]
    assert "--skip-unknown" in refused[2]
    assert said.err.count("Refused: ") == len(refused) == (3 if command == "check_run" else 3 + 100 + 1)
    if command == "import_runs":
        assert refused[-1] == f"{other}: 20 more problems not listed."
    assert not Run.objects.filter(run_tag__in=["far", "more"]).exists()


def test_the_command_changes_the_setting(cast, capsys):
    call_command("describe_collection", "harbour", "--max-run-depth", "7")
    cast.collection.refresh_from_db()

    assert cast.collection.max_run_depth == 7
    with pytest.raises(SystemExit):
        call_command("describe_collection", "harbour", "--max-run-depth", "0")
    assert "Choose a number from 1 to 1,000,000" in capsys.readouterr().err
