"""Outcomes of queries, each with its reason."""

from fractions import Fraction

import pytest

from tournament.outcomes import QueryOutcome, Status, outcome_reason, small_number_text


def outcome(**changes):
    plain = {
        "status": Status.CLOSED,
        "best": (1,),
        "cycle": False,
        "tied_at_first": 1,
        "wins": {1: Fraction(3)},
    }
    return QueryOutcome(**{**plain, **changes})


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(0), "0"),
        (Fraction(3), "3"),
        (Fraction(1, 2), "0.5"),
        (Fraction(5, 2), "2.5"),
        (Fraction(2, 3), "2/3"),
        (Fraction(7, 3), "2 1/3"),
    ],
)
def test_wins_are_written_exactly(value, text):
    assert small_number_text(value) == text


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (outcome(status=Status.SINGLETON, wins={1: Fraction(0)}), "p1 is the only passage in the pool"),
        (outcome(), "p1 has the most wins: 3 wins."),
        (outcome(missing=((2, 3),)), "p1 has the most wins: 3 wins; the unjudged pairs can't change that."),
        (outcome(tied_at_first=3), "p1 won the recount among 3 passages"),
        (outcome(best=(1, 2), tied_at_first=2), "p1 and p2 are tied (3 wins at first)."),
        (outcome(best=(1, 2, 3), tied_at_first=3, cycle=True), "beat each other in a cycle."),
        (outcome(best=(1, 2), tied_at_first=4), "also after recounts"),
        (outcome(status=Status.OPEN, missing=((1, 2),)), "1 pair lacks judgments; best so far: p1."),
        (outcome(status=Status.OPEN, best=(), missing=((1, 2), (1, 3))), "2 pairs lack judgments; nothing"),
        (outcome(status=Status.OPEN, missing=((1, 2),), challenge=2), "In challenge 2, 1 pair lacks"),
        (
            outcome(challenge=1, wins={}, challengers=2),
            "p1 keeps its place in challenge 1: all 2 challengers",
        ),
        (outcome(wins={}), "p1 keeps its place from an earlier version: no new passage"),
        (outcome(best=(1, 2), wins={}), "p1 and p2 keep their places from an earlier version"),
        (outcome(challenge=1, challengers=2), "p1 has the most wins in challenge 1: 3 wins."),
    ],
)
def test_the_reason_says_what_happened(result, said):
    assert said in outcome_reason(result, lambda passage: f"p{passage}")


def test_only_settled_queries_are_tied():
    assert outcome(best=(1, 2)).tied
    assert not outcome(best=(1, 2), status=Status.OPEN).tied
    assert not outcome().tied
