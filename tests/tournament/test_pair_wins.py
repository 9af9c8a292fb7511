"""Turning judgments into wins."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tournament.pair_wins import Count, sums_by_node, tally, wins_of_pairs


def arrays(rows):
    return [np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)]


def test_judgments_of_a_pair_are_counted_whichever_side_was_left():
    counts = tally(*arrays([(4, 1, 4), (1, 4, 1), (1, 4, 4), (1, 4, -1), (0, 1, 0)]))

    assert list(zip(counts.a, counts.b, strict=True)) == [(0, 1), (1, 4)]
    assert counts.for_a.tolist() == [1, 1]
    assert counts.for_b.tolist() == [0, 2]
    assert counts.undecided.tolist() == [0, 1]


def test_rows_in_order_and_rows_shuffled_give_the_same_counts():
    rows = [(0, 1, 0), (0, 1, 1), (0, 2, -1), (1, 2, 2), (3, 4, 3)]

    in_order, shuffled = tally(*arrays(rows)), tally(*arrays([rows[i] for i in (3, 1, 4, 0, 2)]))

    for name in ("a", "b", "for_a", "for_b", "undecided"):
        assert getattr(in_order, name).tolist() == getattr(shuffled, name).tolist()


def test_a_judgment_of_a_node_against_itself_counts_nothing():
    counts = tally(*arrays([(2, 2, 2), (2, 3, 3)]))

    assert counts.judged.tolist() == [1]


def test_no_judgments_give_no_pairs():
    nothing = np.zeros(0, np.int64)

    wins = wins_of_pairs(tally(nothing, nothing, nothing), largest=3)

    assert len(wins.a) == 0
    assert sums_by_node(wins.a, wins.wins_a, 3).tolist() == [0, 0, 0]


def test_preferring_a_node_that_was_not_shown_is_refused():
    with pytest.raises(ValueError, match="judgment 1 prefers"):
        tally(*arrays([(0, 1, 0), (0, 1, 2)]))


def test_shares_divide_one_win_among_the_judgments_of_a_pair():
    # Worked by hand: 2 of 3 for node 0 is 2/3; one for each side of 1 and 2 is a half; undecided is a half.
    rows = [(0, 1, 0), (0, 1, 0), (0, 1, 1), (1, 2, 1), (1, 2, 2), (0, 2, -1)]

    wins = wins_of_pairs(tally(*arrays(rows)), largest=3)

    assert wins.unit == 12  # twice the least common multiple of 3, 2 and 1
    assert wins.wins_a.tolist() == [8, 6, 6]
    assert wins.wins_b.tolist() == [4, 6, 6]


def test_majority_gives_the_whole_win_to_the_side_ahead_and_halves_when_level():
    rows = [(0, 1, 0), (0, 1, 0), (0, 1, 1), (1, 2, 1), (1, 2, 2), (0, 2, -1)]

    wins = wins_of_pairs(tally(*arrays(rows)), count=Count.MAJORITY, largest=3)

    assert wins.unit == 2
    assert wins.wins_a.tolist() == [2, 1, 1]
    assert wins.wins_b.tolist() == [0, 1, 1]


def test_shares_stay_exact_where_64_bits_would_overflow():
    # Pairs with 1, 2, …, 45 judgments: the common denominator is beyond 2**53.
    rows = [(0, k, k if turn == 0 else 0) for k in range(1, 46) for turn in range(k)]

    wins = wins_of_pairs(tally(*arrays(rows)), largest=46)

    assert wins.unit > 2**53
    assert (wins.wins_a + wins.wins_b == wins.unit).all()
    lost = sums_by_node(wins.b, wins.wins_b, 46)
    assert lost[45] * 45 == lost[1]  # 1/45 of a win against a whole one, to the last digit


judged_rows = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from(["left", "right", "neither"])),
    min_size=1,
    max_size=60,
).map(
    lambda rows: (
        [
            (left, right, {"left": left, "right": right, "neither": -1}[side])
            for left, right, side in rows
            if left != right
        ]
        or [(0, 1, 0)]
    )
)


@given(judged_rows, st.sampled_from(Count))
def test_each_pair_distributes_exactly_one_win(rows, count):
    wins = wins_of_pairs(tally(*arrays(rows)), count=count, largest=6)

    assert (wins.wins_a + wins.wins_b == wins.unit).all()
    assert (wins.wins_a >= 0).all()
    assert (wins.wins_b >= 0).all()
    assert (wins.a < wins.b).all()


@given(judged_rows, st.sampled_from(Count))
def test_reversing_every_judgment_swaps_the_wins(rows, count):
    opposite = [(a, b, -1 if p < 0 else a + b - p) for a, b, p in rows]

    wins = wins_of_pairs(tally(*arrays(rows)), count=count, largest=6)
    swapped = wins_of_pairs(tally(*arrays(opposite)), count=count, largest=6)

    assert wins.wins_a.tolist() == swapped.wins_b.tolist()
