from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from judging.gold import content_words, overlap, propose


def proposals(**changes):
    given_ = {
        "relevant": [(1, 10), (2, 20)],
        "candidates": [10, 20, 30, 40],
        "related": {1: frozenset({10, 40}), 2: frozenset({20})},
        "query_words": {},
        "passage_words": {},
        "taken": frozenset(),
        "wanted": 4,
        "rng": np.random.default_rng(1),
    }
    return propose(**(given_ | changes))


def test_off_topic_passage_is_never_one_known_for_the_query():
    found = proposals(wanted=20)

    assert {one.off_topic_id for one in found if one.query_id == 1} == {20, 30}
    assert {one.off_topic_id for one in found if one.query_id == 2} == {10, 30, 40}


def test_proposals_are_distinct_and_leave_out_those_that_exist():
    found = proposals(wanted=20, taken=frozenset({(1, 10, 30)}))

    triples = [(one.query_id, one.relevant_id, one.off_topic_id) for one in found]
    assert len(set(triples)) == len(triples) == 4
    assert (1, 10, 30) not in triples


def test_best_passages_are_used_before_any_is_used_again():
    assert [one.query_id for one in proposals(wanted=4)] == [1, 2, 1, 2]


def test_passage_that_shares_the_querys_words_is_passed_over():
    words = {
        10: content_words("Boil an egg for nine minutes"),
        20: content_words("The moon is far away"),
        30: content_words("Eggs boil over when the pot is full"),
        40: content_words("A chicken lays an egg"),
    }

    found = proposals(
        relevant=[(1, 10)],
        query_words={1: content_words("how long to boil an egg")},
        passage_words=words,
        related={1: frozenset({10})},
    )

    assert [one.off_topic_id for one in found] == [20]
    assert found[0].overlap == 0


def test_nothing_is_proposed_without_relevant_passages_or_candidates():
    assert proposals(relevant=[]) == []
    assert proposals(candidates=[]) == []


def test_same_seed_proposes_the_same():
    assert proposals() == proposals()


def test_topic_words_lose_stop_words_and_a_plural_s():
    assert content_words("How do the Boats float?") == {"boat", "float"}
    assert overlap(content_words("boats float"), content_words("a boat")) == 0.5
    assert overlap(frozenset(), frozenset({"boat"})) == 0.0


@given(st.integers(1, 12), st.integers(2, 12), st.integers(0, 60))
def test_never_more_than_wanted_nor_a_passage_against_itself(queries, passages, wanted):
    relevant = [(query, query % passages) for query in range(queries)]
    found = proposals(
        relevant=relevant,
        candidates=list(range(passages)),
        related={query: frozenset({passage}) for query, passage in relevant},
        wanted=wanted,
    )

    assert len(found) <= wanted
    assert all(one.relevant_id != one.off_topic_id for one in found)


def test_every_off_topic_passage_serves_about_as_often_as_the_others():
    """A few that fit used to serve again and again: workers would learn them."""
    words = {number: content_words(f"topic{number} word{number}") for number in range(100, 106)}
    found = proposals(
        relevant=[(query, query) for query in range(1, 61)],
        candidates=sorted(words),
        related={},
        query_words={},
        passage_words=words,
        taken=frozenset({(99, 99, 100), (98, 98, 100)}),
        wanted=60,
    )

    uses = Counter(one.off_topic_id for one in found)
    assert len(found) == 60
    totals = uses + Counter({100: 2})  # two pairs with it were there already
    assert max(totals.values()) - min(totals.values()) <= 1
