"""Suspicious gold pairs, from counts of answers."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from judging.rules.gold_suspicion import suspicious

BAD = 7


def answered(workers, *, failing, gold=BAD, others=2):
    """Return this many workers' answers on the bad gold pair (``failing`` fail) and on ``others`` good ones."""
    rows = []
    for worker in range(workers):
        rows += [(100 + worker * 10 + number, worker, True) for number in range(others)]
        rows.append((gold, worker, worker >= failing))
    return rows


def test_a_pair_that_passing_workers_fail_is_found():
    (found,) = suspicious(answered(5, failing=3), slip_rate=0.05)

    assert (found.gold, found.failed, found.seen) == (BAD, 3, 5)
    assert found.chance == pytest.approx(10 * 0.05**3 * 0.95**2 + 5 * 0.05**4 * 0.95 + 0.05**5)
    assert "3 of 5 workers" in found.words()


@pytest.mark.parametrize(
    ("workers", "failing"),
    [(2, 2), (15, 3), (100, 20), (10, 0)],
    ids=["too few failures", "a fifth and no more", "a fifth of many", "nobody"],
)
def test_a_pair_without_evidence_is_left_alone(workers, failing):
    assert suspicious(answered(workers, failing=failing), slip_rate=0.05) == []


def test_workers_who_failed_other_pairs_are_ignored():
    rows = answered(5, failing=5) + [(900, worker, False) for worker in range(5)]

    assert suspicious(rows, slip_rate=0.05) == []


def test_a_worker_without_other_answers_is_ignored():
    assert suspicious(answered(5, failing=5, others=0), slip_rate=0.05) == []


def test_people_who_click_at_random_do_not_suspend_good_pairs():
    rng = np.random.default_rng(4)
    careless = [
        (int(gold), worker, bool(rng.random() < 0.5))
        for worker in range(60)
        for gold in rng.permutation(12)[:3]
    ]

    assert suspicious(careless, slip_rate=0.05) == []


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9), st.booleans()), max_size=80))
def test_what_is_found_fulfils_every_condition(rows):
    for one in suspicious(rows, slip_rate=0.05):
        assert one.failed >= 3
        assert one.failed > 0.2 * one.seen
        assert one.chance < 0.01
