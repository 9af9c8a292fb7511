"""Compatibility with a version's order of preference, worked by hand."""

import pytest

from leaderboard.analyses.compare.comparison import Question, compare_runs
from leaderboard.analyses.shared.combinations import combinations, facts_of_combinations
from leaderboard.errors import UnknownLabels, UnknownMeasure
from leaderboard.scoring.labels import labels_named
from leaderboard.scoring.scores import score, scores_as_dict
from tournament.errors import NoSuchVersion


def labels(valley, name="@1:order"):
    return labels_named(valley.collection, name)


def scores(valley, measures, name="@1:order"):
    found = score(
        collection=valley.collection, labels=labels(valley, name), runs=valley.runs, measures=measures
    )
    rows = scores_as_dict(found, per_query=True)["rows"]
    return {(row["run"], row["qid"]): row["value"] for row in rows}


def weight(place, p=0.5):
    """Return what a passage that is in both rankings from this rank on adds to their overlap."""
    return sum(p ** (d - 1) / d for d in range(place, 60))


def test_levels_are_grades_from_the_lowest_of_each_query(valley, version):
    found = labels(valley)

    assert found.qids == ("q1", "q2", "q3")
    assert list(zip(found.query.tolist(), found.pids, found.grades.tolist(), strict=True)) == [
        (0, "b1", 3),
        (0, "a1", 2),
        (0, "c1", 1),
        (1, "a2", 2),
        (1, "b2", 1),
        (2, "b3", 1),
    ]
    assert found.ordinal
    assert not labels(valley, "@1").ordinal
    assert (found.name, found.words) == ("@1:order", "version 1, order of preference")


def test_the_top_level_is_what_the_version_says(valley, version):
    found = labels(valley)
    top = {
        qid: max(g for q, g in zip(found.query, found.grades, strict=True) if q == n)
        for n, qid in enumerate(found.qids)
    }

    best = [
        (q, pid)
        for q, pid, g in zip(found.query, found.pids, found.grades, strict=True)
        if g == top[found.qids[q]]
    ]

    plain = labels(valley, "@1")
    assert best == list(zip(plain.query, plain.pids, strict=True))


def test_compatibility_with_preferences_worked_by_hand(valley, version):
    values = scores(valley, "Compat(p=0.5)")

    # q1: people prefer b1, a1, c1. Run "old" has a1, b1; run "new" has b1, x1, y1, a1.
    ideal = weight(1) + weight(2) + weight(3)
    assert values["old", "q1"] == pytest.approx((weight(2) + weight(2)) / ideal)
    assert values["new", "q1"] == pytest.approx((weight(1) + weight(4)) / ideal)
    # q2: a2 before b2. "old" has only a2, "new" has both in the wrong order.
    ideal = weight(1) + weight(2)
    assert values["old", "q2"] == pytest.approx(weight(1) / ideal)
    assert values["new", "q2"] == pytest.approx(2 * weight(2) / ideal)
    assert (values["odd", "q1"], values["odd", "q3"], values["new", "q3"]) == (0, 0, pytest.approx(1))


def test_the_order_of_losers_is_seen_by_no_measure_of_best_answers(valley, version):
    """Both labels have the same winners; only the order knows that people put a1 above c1."""
    by_order, by_best = scores(valley, "Compat"), scores(valley, "Compat", "@1")

    assert by_best["new", "q1"] == pytest.approx(1)
    assert by_order["new", "q1"] < 1


@pytest.mark.parametrize(
    "name", ["RR@10", "AP", "P@5", "nDCG@10", "NCG@100", "Success@1", "ESL@10", "Compat(p=0.5,rel=2)"]
)
def test_measures_that_need_relevant_passages_or_gains_are_refused(valley, version, name):
    with pytest.raises(UnknownMeasure, match="needs grades of relevance") as refused:
        scores(valley, name)

    assert refused.value.next_step == "Choose Compat(p=0.95) or the labels @1."


def test_runs_are_not_compared_by_their_first_relevant_passage_under_an_order(valley, version):
    with pytest.raises(UnknownMeasure, match="needs grades of relevance"):
        compare_runs(
            collection=valley.collection,
            runs=valley.runs,
            question=Question(labels=labels(valley), measure="RR@10"),
        )


@pytest.mark.parametrize("name", ["@1:orders", "@1:", "@:order", "@2:order", "@x"])
def test_names_that_mean_nothing_are_refused(valley, version, name):
    with pytest.raises((UnknownLabels, NoSuchVersion)):
        labels(valley, name)


def test_leaving_queries_out_leaves_an_order_an_order(valley, version):
    kept = labels(valley).without(frozenset({"q1"}))

    assert kept.ordinal
    assert (kept.qids, kept.pids) == (("q2", "q3"), ("a2", "b2", "b3"))


def test_tables_say_that_it_is_an_order(valley, version):
    found = combinations(
        collection=valley.collection, runs=valley.runs, labels=["@1:order"], measures="Compat(p=0.95)"
    )

    facts = facts_of_combinations(valley.collection, found, seed=None, further=())
    assert facts.labels == ("order of preference, version 1",)
    assert found[0].name == "version 1, order of preference, Compat(p=0.95)"
