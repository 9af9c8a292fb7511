"""The order by do no harm: the same claims as for two runs, and the places of cycles and of unordered runs."""

import json

import numpy as np
import pytest
from django.core.management import call_command
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from leaderboard.analyses.compare.outcome_cases import compare_ranks
from leaderboard.analyses.compare.verdicts import Rules, verdict_of
from leaderboard.analyses.harmless_order.computation import _shared_places, harmless_order

BOARDS = st.tuples(st.integers(2, 4), st.integers(1, 40)).flatmap(
    lambda shape: arrays(np.int64, shape, elements=st.sampled_from([0, 0, 1, 1, 2, 5, 10]))
)


@pytest.mark.generated
@given(BOARDS, st.sampled_from([0.05, 0.4, 0.9]))
def test_two_runs_are_ordered_as_the_comparison_of_two_says(ranks, alpha):
    found = harmless_order(ranks, alpha=alpha)

    rules = Rules(found.comparisons, alpha)
    for i in range(len(ranks)):
        for j in range(len(ranks)):
            if i != j:
                verdict = verdict_of(compare_ranks(ranks[j], ranks[i]), rules)
                assert found.beats[i, j] == (verdict.do_no_harm and verdict.favors == 1), (i, j)


def test_a_run_that_answers_more_and_as_early_is_above():
    worse = np.array([1] * 60 + [0] * 40)
    better = np.array([1] * 95 + [0] * 5)

    found = harmless_order(np.stack([worse, better, better]))

    assert found.place.tolist() == [3, 1, 1]
    assert found.beats.sum() == 2


def test_a_run_that_answers_more_but_later_is_not_above():
    early = np.array([1] * 60 + [0] * 40)
    late = np.array([10] * 30 + [1] * 65 + [0] * 5)

    assert harmless_order(np.stack([early, late])).place.tolist() == [1, 1]


def test_runs_that_beat_each_other_in_a_circle_share_a_place():
    beats = np.zeros((5, 5), dtype=bool)
    for winner, loser in [(0, 1), (1, 2), (2, 0), (2, 3), (4, 3)]:
        beats[winner, loser] = True

    assert _shared_places(beats).tolist() == [1, 1, 1, 5, 1]


def test_a_run_stands_below_all_that_beat_it_however_many_stand_above():
    beats = np.zeros((4, 4), dtype=bool)
    for winner, loser in [(0, 1), (1, 2), (0, 3)]:
        beats[winner, loser] = True

    assert _shared_places(beats).tolist() == [1, 2, 4, 2]


def test_an_order_without_runs_is_refused():
    with pytest.raises(ValueError, match="needs at least one run"):
        harmless_order(np.zeros((0, 3), dtype=np.int64))


def test_the_command_prints_places_and_counts(valley, capsys):
    """Four queries order nothing: all runs share the first place, by their means."""
    call_command("analyse", "harmless_order", "valley", "--qrels", "official", "--json")

    found = json.loads(capsys.readouterr().out)
    rows = found["tables"]["order"]["rows"]
    assert {row["place"] for row in rows} == {1}
    assert [row["by_mean"] for row in rows] == sorted(row["by_mean"] for row in rows)
    assert "0 of 3 pairs of runs can be ordered" in found["sentences"][0]
