"""Pools of tops and qrels, their pairs and their cost."""

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, strategies as st

from pooling.rules.shallow import (
    Candidate,
    Prices,
    contributions,
    count_classes,
    draw_queries,
    one_relevant_each,
    pool_query,
    sources_apart,
    stats_of_sizes,
)


def test_a_pool_holds_each_top_once_with_who_brought_it():
    assert pool_query([("a",), ("b",), ("a",), ()], "c") == (
        Candidate("a", (0, 2), False),
        Candidate("b", (1,), False),
        Candidate("c", (), True),
    )


def test_a_qrel_that_a_run_has_on_top_is_not_added_again():
    assert pool_query([("a", "b")], "b") == (Candidate("a", (0,), False), Candidate("b", (0,), True))


def test_the_qrel_is_the_highest_grade_then_the_first_in_the_file():
    labels = [("q", "a", 1), ("q", "b", 3), ("q", "c", 3), ("r", "d", 1)]

    assert one_relevant_each(labels, 2) == {"q": "b"}
    assert one_relevant_each(labels, 1) == {"q": "b", "r": "d"}


def test_passages_of_one_text_count_once_and_those_without_text_each():
    assert count_classes(["x", "x", "y", "", ""]) == 4


def test_statistics_worked_by_hand():
    stats = stats_of_sizes([1, 3, 4, 2], 2, Prices())

    assert stats.passages == 10
    assert (stats.queries, stats.mean, stats.median, stats.max, stats.singletons) == (4, 2.5, 2.5, 4, 1)
    assert (stats.pairs, stats.tasks, stats.cost) == (3 + 6 + 1, 1, Decimal("2.40"))
    assert stats.histogram == {1: 1, 2: 1, 3: 1, 4: 1}


def test_judging_141887_pairs_costs_just_over_34000_dollars():
    """Arabzadeh et al., section 3: two dollars per task of ten pairs, and a fee of 20%."""
    cost = Prices().cost(141_887)

    assert Prices().tasks(141_887) == 14_189
    assert cost == Decimal("34053.60")


def test_several_judgments_a_pair_fill_more_tasks():
    assert Prices(judgments_per_pair=3).tasks(7) == 3


def test_contributions_count_what_nobody_else_brought():
    found = contributions([["a", "b"], ["a"], ["c"]])

    assert {source: (c.passages, c.unique) for source, c in found.items()} == {
        "a": (2, 1),
        "b": (1, 0),
        "c": (1, 1),
    }


def test_a_seed_draws_the_same_queries_in_collection_order():
    qids = [str(n) for n in range(100)]

    drawn = draw_queries(qids, 10, np.random.default_rng(5))

    assert drawn == draw_queries(qids, 10, np.random.default_rng(5)) == sorted(drawn, key=int)
    assert len(set(drawn)) == 10


@pytest.mark.parametrize("count", [3, 4])
def test_a_sample_as_large_as_the_queries_is_all_of_them(count):
    assert draw_queries(["a", "b", "c"], count, np.random.default_rng(0)) == ["a", "b", "c"]


@given(
    st.lists(st.lists(st.sampled_from("abcdef"), unique=True), max_size=6),
    st.sampled_from([None, *"abcdefg"]),
)
def test_the_order_of_runs_changes_no_pool(tops, qrel):
    forwards = {c.pid: (len(c.runs), c.is_qrel) for c in pool_query(tops, qrel)}
    backwards = {c.pid: (len(c.runs), c.is_qrel) for c in pool_query(tops[::-1], qrel)}

    assert forwards == backwards


def test_sources_that_share_no_passage_with_the_largest_group_are_apart():
    passages = {"a": 30, "b": 30, "c": 30, "doc1": 30, "doc2": 12, "small": 9}

    assert sources_apart(passages, [("a", "b"), ("b", "c"), ("doc1", "doc2")]) == ["doc1", "doc2"]
    assert sources_apart(passages, [("a", "doc1"), ("doc1", "doc2"), ("b", "c"), ("c", "a")]) == []
    assert sources_apart(passages, []) == []
