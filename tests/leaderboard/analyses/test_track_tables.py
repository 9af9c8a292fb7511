"""Submission statistics and result tables of a track, from announced runs and from runs with files."""

import csv
import json

import pytest
from django.core.management import call_command

from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.runner import compute_analysis
from leaderboard.analyses.track_results.computation import result_rows
from leaderboard.analyses.track_results.kind import KIND as RESULTS
from leaderboard.analyses.track_statistics.computation import count_submissions
from leaderboard.analyses.track_statistics.kind import KIND as STATISTICS
from leaderboard.errors import MembersOnly, NothingToScore
from leaderboard.scoring.chosen_runs import chosen_runs
from leaderboard.scoring.labels import labels_named
from leaderboard.scoring.measure_names import is_measure
from leaderboard.scoring.score_output import score_analysis
from leaderboard.scoring.scores import score
from pooling.models import Run
from pooling.rules.run_details import KnownRun
from pooling.runs.run_metadata import import_run_metadata
from tests.factories import make_collection
from tests.leaderboard.analyses.analysed import analysed


def known(tag, team="A", baseline=False, **details):
    return KnownRun(tag, team, baseline, details)


def test_a_task_in_capitals_is_the_same_task():
    runs = [known("a", task="Passage"), known("b", task="passage"), known("c")]

    counted = count_submissions(runs)
    tables = result_rows(runs, {}, {}, baselines=True)

    assert list(counted) == list(tables) == ["passage"]
    assert [row.run.run_tag for row in tables["passage"]] == ["a", "b", "c"]


def test_runs_are_counted_by_task_and_a_run_without_a_team_belongs_to_no_group():
    runs = [
        known("a", neural="nnlm", subtask="rerank", stage="multi", dense=True),
        known("b", "B", True, neural="trad", subtask="fullrank", stage="single", dense=False),
        known("c", "B", neural="nn", subtask="fullrank", stage="single", dense=True),
        known("d", "", task="document"),
    ]

    found = count_submissions(runs)

    assert list(found) == ["passage", "document"]
    assert found["passage"] == {
        "groups": 2,
        "runs": 3,
        "baseline": 1,
        "nnlm": 1,
        "nn": 1,
        "trad": 1,
        "rerank": 1,
        "fullrank": 2,
        "single_stage_dense": 1,
    }
    assert found["document"]["groups"] == 0
    assert found["document"]["runs"] == 1


def test_results_stand_by_group_then_by_value_and_computed_values_come_first():
    runs = [
        known("low", "B"),
        known("high", "B"),
        known("none", "B"),
        known("base", "A", True),
        known("c", "c"),
        known("other", "c"),
    ]
    computed = {"low": [0.1], "high": [0.3]}
    reported = {"low": [0.9], "c": [0.2], "other": [None]}

    found = result_rows(runs, computed, reported, baselines=True)["passage"]
    without = result_rows(runs, computed, reported, baselines=False)["passage"]

    assert [row.run.run_tag for row in found] == ["base", "high", "low", "none", "c", "other"]
    assert {row.run.run_tag: (row.values, row.reported) for row in found} == {
        "base": ((), False),
        "high": ((0.3,), False),
        "low": ((0.1,), False),
        "none": ((), False),
        "c": ((0.2,), True),
        "other": ((None,), False),
    }
    assert "base" not in [row.run.run_tag for row in without]


def test_the_overview_of_2022_is_counted_and_listed_as_published(db, shared_data, capsys):
    """[DL] table 1, and the appendix's tables row by row."""
    make_collection("dl22", ["q1"])
    path = shared_data / "dl22" / "runs.tsv"
    call_command("import_run_metadata", "dl22", str(path))
    capsys.readouterr()

    call_command("track_statistics", "dl22", "--announced", "--json")
    counts = json.loads(capsys.readouterr().out)
    call_command("track_results", "dl22", "--announced", "--json")
    results = json.loads(capsys.readouterr().out)
    tables = results["tables"]

    assert results["facts"]["queries"] is None  # the track's values; their number of queries is not stated
    names = ("runs", "baseline", "nnlm", "nn", "trad", "rerank", "fullrank", "single_stage_dense", "groups")
    assert [counts["passage"][name] for name in names] == [100, 40, 88, 0, 12, 11, 89, 9, 12]
    assert [counts["document"][name] for name in names] == [42, 19, 33, 0, 9, 3, 39, 2, 7]
    published = list(csv.DictReader(path.read_text().splitlines(), delimiter="\t"))
    for task in ("passage", "document"):
        rows = tables[f"results_{task}"]["rows"]
        wanted = [row for row in published if row["task"] == task]
        assert {row["run"] for row in rows} == {row["run"] for row in wanted}
        by_run = {row["run"]: row for row in wanted}
        for row in rows:
            told = by_run[row["run"]]
            columns = ("group", "subtask", "neural", "stage", "dense", "baseline")
            assert [row[name] for name in columns] == [told[name] for name in columns]
            values = [row[name] for name in ("nDCG@10", "NCG@100", "AP")]
            assert values == [float(told[name]) for name in ("nDCG@10", "NCG@100", "AP")]
        assert [row["group"] for row in rows] == [row["group"] for row in wanted]
        assert [row["nDCG@10"] for row in rows] == [float(row["nDCG@10"]) for row in wanted]


def test_runs_with_files_are_scored_and_announced_ones_have_reported_values(valley):
    collection = valley.collection
    Run.objects.filter(run_tag="new").update(details={"neural": "nnlm"}, team="Otters")
    table = "run\tgroup\tMRR@10\tneural\nlater\tSeals\t0.25\ttrad\nlast\tSeals\t\ttrad\n"
    import_run_metadata(collection=collection, text=table, name="t", is_measure=is_measure, who="ann")
    runs = tuple(chosen_runs(collection))
    settings = {"measures": "RR@10", "announced": "1", "columns": "neural"}

    found = compute_analysis(Asked(RESULTS, collection, runs, settings))

    rows = {row.values["run"]: row.values for row in found.tables[0].rows}
    labels = labels_named(collection, "official")
    scores = score(collection=collection, labels=labels, runs=runs, measures="RR@10")
    means = {one.run.run_tag: one.mean for one in scores.columns[0].scored}
    assert {tag: rows[tag]["RR@10"] for tag in means} == means
    assert rows["later"]["RR@10"] == 0.25
    assert rows["new"]["neural"] == "nnlm"
    assert "Values of 1 run are as reported by the track." in found.tables[0].notes
    # The facts below the table, its caption and its column give the mean one name.
    assert " · MRR@10 · " in found.tables[0].facts.sentence
    assert found.tables[0].caption.endswith("in the order of MRR@10.")
    assert found.tables[0].columns[-1].label == "MRR@10"


def test_the_facts_count_the_runs_in_the_tables(valley):
    Run.objects.update(baseline=False)
    Run.objects.filter(run_tag="new").update(baseline=True)
    runs = tuple(chosen_runs(valley.collection))

    def facts(**settings):
        found = compute_analysis(Asked(RESULTS, valley.collection, runs, {"measures": "RR@10"} | settings))
        assert [table.facts for table in found.tables] in ([found.facts], [])
        return found.facts

    assert set(facts().runs) - set(facts(baselines="without").runs) == {"new"}
    assert facts(task="document").runs == ()


def test_columns_of_means_are_headed_by_the_names_of_means(valley):
    settings = {"measures": "AP RR@10 nDCG@10", "announced": "1"}

    table = analysed("track_results", valley.collection, valley.runs, **settings).tables[0]
    scores = score_analysis(
        score(
            collection=valley.collection,
            labels=labels_named(valley.collection, "official"),
            runs=valley.runs,
            measures="AP RR@10 nDCG@10",
        )
    )

    for columns in (table.columns, scores.tables[0].columns):
        assert [column.label for column in columns][-3:] == ["MAP", "MRR@10", "nDCG@10"]


def test_visitors_do_not_see_announced_runs(valley):
    collection = valley.collection
    table = "run\tgroup\nlater\tSeals\n"
    import_run_metadata(collection=collection, text=table, name="t", is_measure=is_measure, who="ann")
    runs = tuple(chosen_runs(collection))

    shown = compute_analysis(Asked(STATISTICS, collection, runs, {"announced": ""}, released=True))

    assert shown.content["tasks"]["passage"]["runs"] == len(runs)
    with pytest.raises(MembersOnly, match="Announced runs"):
        compute_analysis(Asked(STATISTICS, collection, runs, {"announced": "1"}, released=True))


def test_a_collection_without_runs_says_so(db):
    with pytest.raises(NothingToScore, match="has no runs"):
        compute_analysis(Asked(STATISTICS, make_collection("empty", ["q1"]), (), {"announced": "1"}))
