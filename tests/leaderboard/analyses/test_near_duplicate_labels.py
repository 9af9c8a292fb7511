"""Labels and boards with near-duplicates: the figures of a track, a small example by hand, and withheld labels."""

import csv
import json
from pathlib import Path

import polars as pl
import pytest
from django.core.management import call_command

from leaderboard.analyses.fields import read_settings
from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.near_duplicates.analysis import class_labels
from leaderboard.analyses.near_duplicates.computation import (
    Conflict,
    conflicts,
    level_counts,
    one_per_class,
    without_near_duplicates,
)
from leaderboard.analyses.near_duplicates.kind import KIND
from leaderboard.analyses.runner import analysis_key, compute_analysis
from leaderboard.scoring.labels import labels_named
from pooling.labels.document_labels import map_labels
from pooling.models import ClusterSet, QrelSet
from pooling.passages.clusters import Classes, store_classes
from tests.factories import make_collection, make_qrels, make_run
from tests.leaderboard.analyses.analysed import rows


def asked(collection, **given):
    runs = tuple(collection.runs.order_by("run_tag"))
    return Asked(KIND, collection, runs, read_settings(KIND.fields, given))


#: [DL] table 4: the judged and the expanded labels of each of the 76 queries, in all and by level.
PUBLISHED = Path(__file__).parent / "trec_2022_labels.tsv"


@pytest.fixture
def table():
    with PUBLISHED.open() as file:
        return [
            {key: value if key == "qid" else int(value) for key, value in row.items()}
            for row in csv.DictReader(file, delimiter="\t")
        ]


def test_the_labels_of_trec_2022_have_the_published_totals_and_densities(table):
    """[DL] table 4. A class of each grade takes up what the others leave over."""
    classes, sizes = {}, {}
    for row in table:
        grades = classes.setdefault(row["qid"], {})
        rest = {"judged": row["total_judged"], "expanded": row["total_expanded"]}
        for level in (3, 2, 1, 0):
            judged, whole = (
                (row[f"level{level}_judged"], row[f"level{level}_expanded"]) if level else rest.values()
            )
            for place in range(judged):
                pid = f"{row['qid']}-{level}-{place}"
                grades[pid] = level
                sizes[pid] = 1 + (whole - judged if not place else 0)
            rest["judged"] -= judged
            rest["expanded"] -= whole

    counts = level_counts(classes, sizes)

    assert len(counts) == 76
    assert (sum(one.judged for one in counts), sum(one.expanded for one in counts)) == (23_522, 386_416)
    densities = [one.density(2) for one in counts]
    assert round(max(densities), 4) == 0.3929
    assert all(density < 0.4 for density in densities)


def test_the_table_of_a_collection_with_these_classes_prints_the_published_rows(db, table):
    collection = make_collection("track", [row["qid"] for row in table])
    labels, canonical = [], {}
    for row in table:
        left = [row["total_judged"], row["total_expanded"]]
        for level in (3, 2, 1, 0):
            judged, whole = (row[f"level{level}_judged"], row[f"level{level}_expanded"]) if level else left
            pids = [f"{row['qid']}-{level}-{place}" for place in range(judged)]
            labels += [(row["qid"], pid, level) for pid in pids]
            if whole > judged:
                twins = [f"{pids[0]}-{number}" for number in range(whole - judged)]
                canonical |= dict.fromkeys([pids[0], *twins], pids[0])
            left = [left[0] - judged, left[1] - whole]
    make_qrels(collection, "official", labels, min_grade=2)
    store_classes(collection, Classes(ClusterSet.Method.FILE, canonical, {}))

    *found, total = rows(compute_analysis(asked(collection)), "levels")

    by_qid = {row["qid"]: row for row in found}
    assert [{key: by_qid[row["qid"]][key] for key in row} for row in table] == table
    assert len(found) == 76
    assert max(row["density"] for row in found) == pytest.approx(0.3929, abs=5e-5)
    assert (total["total_judged"], total["total_expanded"]) == (23_522, 386_416)


def test_a_class_has_the_highest_grade_of_its_passages():
    canonical = {"a": "a", "b": "a", "c": "x", "d": "x", "x": "x"}

    assert one_per_class({"b": 3, "a": 1, "c": 1, "d": 2, "e": 0}, canonical) == {"a": 3, "x": 2, "e": 0}


def test_classes_with_different_grades_are_found_query_by_query():
    canonical = {"a": "a", "b": "a", "c": "x", "d": "x"}
    grades = {"q1": {"b": 3, "a": 1, "c": 2, "d": 2, "e": 0}, "q2": {"a": 1, "c": 2}}

    assert conflicts(grades, canonical) == [Conflict("q1", {"b": 3, "a": 1})]


def test_a_ranking_without_near_duplicates_keeps_the_first_of_each_class():
    ranking = pl.DataFrame(
        {"qid": ["1", "1", "1", "1", "2"], "rank": [1, 2, 3, 4, 1], "pid": ["b", "c", "a", "d", "a"]}
    )
    classes = pl.DataFrame({"pid": ["a", "b"], "canonical": ["a", "a"]})

    found = without_near_duplicates(ranking, classes).sort("qid", "rank")

    assert found.select("qid", "rank", "pid").rows() == [
        ("1", 1, "a"),
        ("1", 2, "c"),
        ("1", 3, "d"),
        ("2", 1, "a"),
    ]


@pytest.fixture
def bay(db):
    """Class a (a, a2, a3). Run ``twins`` has all three before b, run ``plain`` has a, then b."""
    collection = make_collection("bay", ["q1"])
    make_qrels(collection, "official", [("q1", "a", 0), ("q1", "b", 1)])
    make_run(collection, "twins", {"q1": ["a3", "a", "a2", "b"]})
    make_run(collection, "plain", {"q1": ["a", "b"]})
    return collection


def test_both_evaluations_of_a_run_by_hand(bay):
    store_classes(bay, Classes(ClusterSet.Method.FILE, dict.fromkeys(["a", "a2", "a3"], "a"), {}))

    analysis = compute_analysis(asked(bay, measure="RR@10"))

    board = {row["run"]: (row["once"], row["expanded"]) for row in rows(analysis, "boards")}
    assert board == {"plain": (0.5, 0.5), "twins": (0.5, 0.25)}
    assert rows(analysis, "levels")[0]["total_expanded"] == 4
    assert analysis.sentences[0].startswith("2 judged classes represent 4 passages.")


@pytest.fixture
def disputed(bay):
    """Class a (a, a2, a3): the labels ``imported`` give its canonical passage 0 and a2 2."""
    make_qrels(bay, "imported", [("q1", "a", 0), ("q1", "a2", 2), ("q1", "b", 1)])
    store_classes(bay, Classes(ClusterSet.Method.FILE, dict.fromkeys(["a", "a2", "a3"], "a"), {}))
    return bay


CONFLICT = (
    "1 class has passages with different grades, such as for query q1: a has 0, a2 has 2. The highest grade counts "
    "for the whole class."
)


def test_different_grades_of_a_class_are_reported_and_the_highest_counts(disputed, tmp_path, capsys):
    file = tmp_path / "expanded.qrels"

    call_command("export_labels", "bay", qrels="imported", expand=True, out=str(file), json=True)

    assert file.read_text() == "q1 0 a 2\nq1 0 a2 2\nq1 0 a3 2\nq1 0 b 1\n"
    told = capsys.readouterr()
    assert json.loads(told.out)["classes_with_different_grades"] == 1
    assert CONFLICT in told.err
    assert CONFLICT in compute_analysis(asked(disputed, qrels="imported", measure="RR@10")).sentences


def test_documents_and_expanded_labels_give_a_class_the_same_grade(disputed):
    mapped = map_labels(
        qrel_set=QrelSet.objects.get(name="imported"),
        document_of=lambda pid: f"D-{pid}",
        set_name="documents",
    )

    grades = mapped.qrel_set.qrels.values_list("passage__pid", "grade")
    expanded = class_labels(disputed, labels_named(disputed, "imported")).expanded()
    whole = dict(zip(expanded.pids, expanded.grades.tolist(), strict=True))
    assert dict(grades) == {f"D-{pid}": grade for pid, grade in whole.items()}


def test_the_labels_lowest_relevant_grade_is_stated_with_the_labels_alone(bay):
    QrelSet.objects.update(min_grade=2)

    facts = compute_analysis(asked(bay, measure="RR@10")).facts

    assert (facts.measure, facts.labels) == ("RR@10", ("official (relevant from grade 2)",))


def test_kept_results_are_made_again_when_the_classes_change(bay):
    before = analysis_key(asked(bay))

    store_classes(bay, Classes(ClusterSet.Method.FILE, dict.fromkeys(["a", "a2"], "a"), {}))

    assert analysis_key(asked(bay)) != before


def test_withheld_labels_are_for_members(bay):
    from leaderboard.errors import MembersOnly

    QrelSet.objects.update(withheld=True)
    everybody = Asked(KIND, bay, tuple(bay.runs.all()), read_settings(KIND.fields, {}), released=True)

    with pytest.raises(MembersOnly):
        compute_analysis(everybody)
