"""The tournament's commands: their keys, their files, their exit statuses."""

import io
import json

import pytest
from django.core.management import call_command

from config.process import launcher
from judging.campaign.imported_judgments import import_judgments
from judging.models import Campaign
from pooling.models import Collection, Query
from tournament.models import Challenge


@pytest.fixture(autouse=True)
def migrated(monkeypatch):
    """The test database is migrated, so commands do not check it."""
    monkeypatch.setattr(launcher, "ensure_database", lambda: None)


def run(*words: str) -> dict:
    """Return the command's --json result."""
    out = io.StringIO()
    call_command(*words, "--json", stdout=out, stderr=io.StringIO())
    return json.loads(out.getvalue())


def refused(*words: str) -> tuple[int, str]:
    """Return (exit status, message) of a refused command."""
    err = io.StringIO()
    with pytest.raises(SystemExit) as exit_:
        call_command(*words, stdout=io.StringIO(), stderr=err)
    return exit_.value.code, err.getvalue()


def test_resolve_prints_the_counts(judged_town):
    result = run("resolve", "market")

    assert {key: result[key] for key in ("closed", "open", "singletons", "tied", "cycles")} == {
        "closed": 2, "open": 2, "singletons": 1, "tied": 1, "cycles": 1,
    }  # fmt: skip
    assert len(result["results"]) == 5
    assert all(row["reason"].endswith(".") for row in result["results"])
    assert [row["status"] for row in result["results"] if row["missing"]] == ["open", "open"]
    assert {len(row["best"]) for row in result["results"] if row["status"] == "singleton"} == {1}


def test_publish_export_and_rebuild(judged_town, tmp_path):
    published = run("publish_qrels", "market", "--by", "ada")
    again = run("publish_qrels", "market")
    exported = run("export_qrels", "town", "--version", "1", "--out", str(tmp_path / "one.qrels"))
    rebuilt = run("rebuild_qrels", "town", "--version", "1", "--out", str(tmp_path / "again.qrels"))

    assert (published["version"], published["queries"], published["qrels"]) == (1, 3, 5)
    assert (again["version"], again["new"]) == (1, False)
    assert exported["qrels"] == 5
    assert rebuilt["identical"]
    assert (tmp_path / "one.qrels").read_bytes() == (tmp_path / "again.qrels").read_bytes()
    assert (tmp_path / "one.qrels").read_text().startswith("q1 0 a 1\n")


def test_publishing_says_which_queries_another_campaign_decided_before(judged_town, capsys):
    run("publish_qrels", "market")
    second = judged_town.new_campaign("second")
    judged_town.judge("q1", "b", "a", "b", campaign=second)

    call_command("publish_qrels", "second")

    said = " ".join(capsys.readouterr().err.split())
    assert "1 query that market decided in version 1 is now decided by second" in said


def test_open_queries_are_published_only_when_asked(judged_town):
    assert run("publish_qrels", "market", "--allow-open")["open"] == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["resolve", "nowhere"], "no campaign called 'nowhere'"),
        (["export_qrels", "town", "--out", "x"], "has no published version"),
        (["rebuild_qrels", "nowhere", "--version", "1"], "no collection 'nowhere'"),
        (["challenge", "market", "--runs", "new"], "has no run new"),
    ],
)
def test_refusals_say_why_and_exit_with_1(judged_town, words, said):
    status, text = refused(*words)

    assert status == 1
    assert said in text


def test_a_file_that_can_not_be_written_is_wrong_usage(judged_town, tmp_path):
    run("publish_qrels", "market")

    status, text = refused("export_qrels", "town", "--out", str(tmp_path / "missing" / "x"))

    assert status == 2
    assert "Cannot write" in text


def test_an_invalid_amount_is_wrong_usage(judged_town):
    assert refused("challenge", "market", "--runs", "new", "--confirm-spend", "much")[0] == 2


def test_a_dry_run_says_what_a_challenge_takes_and_changes_nothing(new_run):
    result = run("challenge", "market", "--runs", "new", "--dry-run")

    assert result["pairs"] == {"fewest": 1, "most": 1}
    assert result["judgments"] == {"fewest": 2, "most": 5}
    assert result["cost"]["fewest"] == pytest.approx(4.8)
    assert Challenge.objects.count() == 0


def test_a_challenge_asks_through_judging_and_resolve_says_what_is_still_out(new_run):
    asked = run("challenge", "market", "--runs", "new", "--rule", "lead2")
    resolved = run("resolve", "market")

    assert (asked["challenge"], asked["state"], asked["asked"]) == (1, "asking", 2)
    assert new_run.campaign.tasks.filter(round=1).count() == 2
    assert resolved["challenge"] == {"asked": 0, "under_way": 2, "waiting": 0}
    assert refused("challenge", "market", "--runs", "new")[0] == 1


# --- the judgments and winners of "Human Preferences as Dueling Bandits" -----------------------------------


@pytest.fixture
def judged_elsewhere(db, shared_data):
    """A function that creates a campaign from these phases, and the data folder."""
    folder = shared_data / "dl21"
    collection = Collection.objects.create(name="dl21")
    rows = [line.split("\t") for line in (folder / "topics.tsv").read_text().splitlines()]
    Query.objects.bulk_create(
        Query(collection=collection, qid=qid, text=text, position=position)
        for position, (qid, text) in enumerate(rows)
    )

    def campaign(phases: list[str]) -> Campaign:
        made = Campaign.objects.create(name="-".join(phases), collection=collection, seed=1)
        import_judgments(made, folder / "judgments.tsv", phases=phases)
        return made

    return campaign, folder


def qrels(text: str) -> set[tuple[str, str]]:
    return {(line.split()[0], line.split()[2]) for line in text.splitlines()}


@pytest.mark.parametrize("phases", [["I"], ["II"], ["III"], ["I", "II", "III"]], ids="+".join)
def test_with_all_ties_kept_the_published_winners_are_exported(judged_elsewhere, phases, tmp_path):
    campaign, folder = judged_elsewhere
    name = campaign(phases).name

    resolved = run("resolve", name, "--ties", "keep")
    published = run("publish_qrels", name)
    run("export_qrels", "dl21", "--out", str(tmp_path / "out.qrels"))

    assert (resolved["closed"], resolved["open"], resolved["singletons"]) == (30, 0, 0)
    assert published["queries"] == 30
    winners = qrels((folder / "preference-qrels" / f"{'+'.join(phases)}.qrels").read_text())
    assert qrels((tmp_path / "out.qrels").read_text()) == winners
    assert run("rebuild_qrels", "dl21", "--version", "1")["identical"]


def test_by_our_rule_phase_one_has_one_best_answer_a_query(judged_elsewhere):
    campaign, _ = judged_elsewhere

    resolved = run("resolve", campaign(["I"]).name)

    assert (resolved["closed"], resolved["tied"], resolved["best_answers"]) == (30, 0, 30)


def test_a_doi_is_recorded_for_the_latest_version(judged_town):
    run("publish_qrels", "market")

    assert run("set_doi", "town", "https://doi.org/10.1234/x") == {
        "collection": "town",
        "version": 1,
        "doi": "10.1234/x",
    }
    assert refused("set_doi", "town", "zenodo")[0] == 1
