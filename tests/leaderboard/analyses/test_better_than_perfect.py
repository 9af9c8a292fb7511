"""Better than perfect?: categories by hand, the published figures, and changes that must not affect the result."""

import csv

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from leaderboard.analyses.better_than_perfect.computation import (
    Category,
    Comparison,
    comparisons,
    preferred_counts,
    who_was_preferred,
)
from leaderboard.analyses.shared.proportions import Interval

TOPS = {
    "on-top": ("qrel", "second", "third"),
    "below": ("top", "qrel"),
    "not-found": ("top", "second"),
    "alone": ("qrel",),
}


def test_each_query_falls_in_its_category():
    found = comparisons(TOPS, dict.fromkeys([*TOPS, "no-line"], "qrel"))

    assert found.asked == (
        Comparison("on-top", Category.A, "qrel", "second"),
        Comparison("below", Category.B, "qrel", "top"),
        Comparison("not-found", Category.B, "qrel", "top"),
    )
    assert (found.missing, found.nothing_second) == (("no-line",), ("alone",))


def test_a_passage_of_the_qrels_text_is_the_qrel():
    texts = {"qrel": "t1", "top": "t1", "second": "t1"}

    found = comparisons({"q": ("top", "second", "third")}, {"q": "qrel"}, texts)

    assert found.asked == (Comparison("q", Category.A, "qrel", "third"),)


def test_counts_by_hand():
    asked = comparisons(TOPS, dict.fromkeys(TOPS, "qrel")).asked

    a, b, both = who_was_preferred(asked, {"on-top": (2, 1), "below": (0, 1), "not-found": (1, 1)})

    assert (a.category, a.queries, a.judged, a.qrel_preferred.count) == ("A", 1, 1, 1)
    assert (b.category, b.queries, b.judged, b.comparison_preferred.count, b.neither) == ("B", 2, 2, 1, 1)
    assert (both.queries, both.judged, both.qrel_preferred.value) == (3, 3, 0.5)


def test_queries_that_nobody_judged_are_in_no_share():
    asked = comparisons(TOPS, dict.fromkeys(TOPS, "qrel")).asked

    a, b, _ = who_was_preferred(asked, {"below": (0, 1)})

    assert (a.queries, a.judged, a.qrel_preferred.value) == (1, 0, None)
    assert (b.queries, b.judged) == (2, 1)


def test_published_figures(shared_data):
    """[SP] Tables 1 and 2: 1,868 and 5,112 queries; 65.7% prefer the qrel in A, 58.6% the run's top in B."""
    with (shared_data / "published" / "arabzadeh2022_table1_2.tsv").open() as file:
        rows = {row["category"]: row for row in csv.DictReader(file, delimiter="\t")}

    a, b = (
        preferred_counts(
            name,
            queries=int(row["queries"]),
            qrel=int(row["qrel_preferred"]),
            other=int(row["comparison_preferred"]),
        )
        for name, row in rows.items()
    )

    assert (a.judged, b.judged) == (a.queries, b.queries) == (1868, 5112)
    assert (a.qrel_preferred.count, a.comparison_preferred.count) == (1228, 640)
    assert (b.qrel_preferred.count, b.comparison_preferred.count) == (2116, 2996)
    assert f"{a.qrel_preferred.value:.1%} {b.comparison_preferred.value:.1%}" == "65.7% 58.6%"
    assert b.comparison_preferred.low > 0.57
    assert max(a.p_value, b.p_value) < 1e-30


@pytest.mark.parametrize("interval", Interval)
def test_swapping_the_sides_mirrors(interval):
    ours = preferred_counts("B", queries=9, qrel=2, other=7, interval=interval)
    theirs = preferred_counts("B", queries=9, qrel=7, other=2, interval=interval)

    assert ours.qrel_preferred == theirs.comparison_preferred
    assert ours.comparison_preferred.high == pytest.approx(1 - theirs.comparison_preferred.low)
    assert ours.p_value == theirs.p_value


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1))
def test_relabeling_queries_and_passages_changes_nothing(seed):
    """Eight queries of up to four passages, some with equal texts, some without a line, some judged."""
    rng = np.random.default_rng(seed)
    qids, pids = [f"q{number}" for number in range(8)], [f"p{number}" for number in range(6)]
    tops = {qid: tuple(rng.permutation(pids)[: rng.integers(0, 5)].tolist()) for qid in qids}
    qrels = {qid: str(rng.choice(pids)) for qid in qids}
    texts = {pid: f"t{rng.integers(4)}" for pid in pids}
    said = {qid: (int(rng.integers(3)), int(rng.integers(3))) for qid in qids if rng.random() < 0.7}
    query, passage, text = (
        dict(zip(names, rng.permutation([f"{letter}{n}" for n in range(9)]).tolist(), strict=False))
        for names, letter in ((qids, "Q"), (pids, "P"), ([f"t{number}" for number in range(4)], "T"))
    )
    shuffled = rng.permutation(qids).tolist()

    before = comparisons(tops, qrels, texts)
    after = comparisons(
        {query[qid]: tuple(passage[pid] for pid in tops[qid]) for qid in shuffled},
        {query[qid]: passage[qrels[qid]] for qid in shuffled},
        {passage[pid]: text[name] for pid, name in texts.items()},
    )

    renamed = {
        Comparison(query[one.qid], one.category, passage[one.qrel], passage[one.other])
        for one in before.asked
    }
    assert renamed == set(after.asked)
    assert {query[qid] for qid in before.missing} == set(after.missing)
    assert {query[qid] for qid in before.nothing_second} == set(after.nothing_second)
    counts = who_was_preferred(before.asked, said)
    assert counts == who_was_preferred(after.asked, {query[qid]: votes for qid, votes in said.items()})
