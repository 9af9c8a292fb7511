"""The board: ranks, shifts, the perfect run, worked by hand."""

from dataclasses import replace

import numpy as np
import pytest

from leaderboard.board.standings import (
    PERFECT,
    BoardInput,
    BoardRow,
    Standing,
    able_to_pass,
    best_as_shown,
    draw_board,
    standing_out,
)
from leaderboard.output.numbers import Rounded
from leaderboard.scoring.scales import Scale

FLOATS = Scale(whole=None)


def worked_board(seed=1):
    """Four queries, three runs. The official qrel is a best answer for one of the four."""
    official = [[1, 1, 0.5, 0], [1, 0.5, 0, 0], [0.5, 0, 0, 0], [1, 1, 1, 1]]
    preference = [[0.5, 0, 0, 0], [0.5, 1, 1, 0], [1, 1, 0, 0.5], [1, 0, 0, 0]]
    judged = [[1, 1, 1, 0], [1, 1, 1, 1], [1, 0, 0, 0], [1, 1, 1, 1]]
    arrays = (np.array(rows, dtype=float) for rows in (official, preference, judged))
    return draw_board(BoardInput(["A", "B", "C"], *arrays), seed=seed)


def test_a_board_worked_by_hand():
    rows = {row.run: row for row in worked_board().rows}

    assert rows["A"].official.value == 0.625
    assert rows["A"].preference.value == 0.125
    assert [(rows[r].official.rank, rows[r].preference.rank, rows[r].shift) for r in "ABC"] == [
        (1, 3, -2),
        (2, 1, 1),
        (3, 1, 2),
    ]
    assert (rows["A"].official.answered, rows["A"].preference.answered) == (0.75, 0.25)
    assert (rows["A"].judged_tops, rows["C"].judged_tops) == (0.75, 0.25)


def test_the_perfect_run_is_ranked_beside_the_runs():
    perfect = next(row for row in worked_board().rows if row.perfect)

    assert perfect.run == PERFECT
    assert (perfect.official.value, perfect.official.low, perfect.official.high) == (1.0, 1.0, 1.0)
    assert perfect.preference.value == 0.25
    assert (perfect.official.rank, perfect.preference.rank) == (1, 3)


def test_runs_that_show_the_best_value_are_best():
    rows = worked_board().rows
    rounded = [Rounded.of(value, 1) for value in (0.58, 0.31, 1, 0.625)]  # of B, C, the perfect run and A

    assert best_as_shown(rows, "official") == {"A"}  # 0.625, 0.375 and 0.125; the perfect run does not count
    assert best_as_shown(rows, "preference") == {"B", "C"}
    close = [
        replace(row, official=replace(row.official, value=value))
        for row, value in zip(rows, rounded, strict=True)
    ]
    assert best_as_shown(close, "official") == {"A", "B"}


def test_the_perfect_run_stays_out_of_the_correlation():
    agreement = worked_board().agreement

    # A over B over C officially; under preference qrels B and C tie and both beat A.
    assert (agreement.agree, agreement.disagree, agreement.tied) == (0, 2, 1)
    assert agreement.tau_b == pytest.approx(-2 / 6**0.5)


def test_rows_come_best_first_under_preference_qrels():
    assert [row.run for row in worked_board().rows] == ["B", "C", PERFECT, "A"]


def test_intervals_hold_the_value():
    for row in worked_board().rows:
        for estimate in (row.official, row.preference):
            assert estimate.low <= estimate.value <= estimate.high


def test_the_order_of_runs_changes_nothing():
    values = np.random.default_rng(0).choice([0, 1 / 3, 0.5, 1], size=(3, 5, 50))
    values[0, 4] = 1
    order = [2, 0, 3, 1, 4]
    tags = ["r0", "r1", "r2", "r3"]

    board = draw_board(BoardInput(tags, *values), seed=3)
    shuffled = draw_board(BoardInput([tags[i] for i in order[:-1]], *values[:, order]), seed=3)

    assert board == shuffled


def test_sums_that_differ_in_floating_point_still_tie():
    """0.1 + 0.2 + 0.3 differs from 0.3 + 0.2 + 0.1 in the last bit, but the means are still equal."""
    values = np.array([[1 / 10, 1 / 5, 1 / 3, 0], [1 / 3, 0, 1 / 5, 1 / 10], [1, 1, 1, 1]])

    board = draw_board(BoardInput(["A", "B"], values, values, values), seed=0)

    assert [row.official.rank for row in board.rows] == [1, 1, 1]


def test_a_board_without_queries_is_refused():
    with pytest.raises(ValueError, match="at least one query"):
        draw_board(BoardInput([], *np.empty((3, 1, 0))), seed=0)


def test_the_published_perfect_run():
    """[SP] Table 3: 166 of the 500 official qrels are best answers, so the perfect run has MRR@10 0.3320."""
    official, preference, judged = (np.ones((2, 500)) for _ in range(3))
    preference[1, 166:] = 0

    board = draw_board(BoardInput(["A"], official, preference, judged), seed=1)

    perfect = next(row for row in board.rows if row.perfect)
    assert f"{perfect.preference.value:.4f}" == "0.3320"


def test_where_lower_is_better_the_lowest_mean_is_first_and_what_has_none_is_last():
    values = np.array([[3.0, 1, np.nan], [1, 1, 1], [np.nan] * 3, [1, 1, 1]])
    given = BoardInput(["A", "B", "C"], values, values, np.ones_like(values), Scale(False, None))

    rows = {row.run: row for row in draw_board(given, seed=1).rows}

    assert [rows[run].official.rank for run in "BAC"] == [1, 2, 3]
    assert rows["A"].official.value == 2
    assert rows["A"].official.low == 1
    assert rows["A"].official.answered == pytest.approx(2 / 3)
    assert np.isnan([rows["C"].official.value, rows["C"].official.low, rows["C"].official.high]).all()


def test_equal_values_in_another_order_are_equal_runs():
    values = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [1.0, 1, 1]])
    given = BoardInput(["A", "B"], values, values, np.ones_like(values), Scale(whole=None))

    assert [row.official.rank for row in draw_board(given, seed=1).rows] == [1, 1, 1]


def test_runs_that_stand_out_lead_a_board_or_move_most():
    """Ten runs in official order; by preference the last comes fourth, which moves the others down by one."""
    order = [0, 1, 2, 9, 3, 4, 5, 6, 7, 8]

    def row(run, official, preference, **options):
        return BoardRow(
            run, *(Standing(0.5, 0.4, 0.6, rank, 1.0) for rank in (official, preference)), **options
        )

    rows = [row(f"r{run}", run + 1, place + 1) for place, run in enumerate(order)]
    perfect = row(PERFECT, 1, 9, perfect=True)

    found = [row.run for row in standing_out([*rows[::-1], perfect], 2)]

    assert found == ["r0", "r1", "r9", "r3", "r4"]


def test_a_board_of_official_labels_alone_has_no_perfect_run_and_no_shifts():
    values = np.array([[1, 1, 0.5, 0], [1, 0.5, 0, 0]])

    board = draw_board(BoardInput(["A", "B"], values), seed=1)

    assert [(row.run, row.official.rank, row.leading is row.official) for row in board.rows] == [
        ("A", 1, True),
        ("B", 2, True),
    ]
    assert {(row.preference, row.shift, row.judged_tops) for row in board.rows} == {(None, None, None)}
    assert board.agreement is None


def test_runs_that_unjudged_tops_may_lift_are_counted_for_those_above():
    def row(run, value, rank, judged):
        return BoardRow(run, *[Standing(value, value, value, rank, 1.0)] * 2, judged_tops=judged)

    rows = [
        row("first", 0.9, 1, 1.0),
        row("second", 0.5, 2, 0.9),
        row("third", 0.4, 3, 0.8),
        row("last", 0.1, 4, 1),
    ]

    assert able_to_pass(rows) == {"second": 1}  # third may reach 0.6, which is less than 0.9
    assert able_to_pass([]) == {}


def test_queries_for_which_a_run_returned_nothing_cannot_lift_it():
    """Both lower runs have a third of their tops judged; only the last has other tops that may be best answers."""
    preference = np.array([[1, 0.5, 0], [1, 0, 0], [0.5, 0, 0], [1, 1, 1]])
    judged = np.array([[1, 1, 1], [1, 0, 0], [1, 0, 0], [1, 1, 1]], dtype=float)
    returned = np.array([[1, 1, 1], [1, 0, 0], [1, 1, 1], [1, 1, 1]], dtype=float)
    given = BoardInput(["better", "short", "last"], preference, preference, judged, returned=returned)

    rows = draw_board(given, seed=1).rows

    assert {row.run: row.unjudged_tops for row in rows} == pytest.approx(
        {PERFECT: 0, "better": 0, "short": 0, "last": 2 / 3}
    )
    assert able_to_pass(rows) == {"better": 1, "short": 1}


def test_preferences_and_judged_tops_come_together():
    with pytest.raises(ValueError, match="given together"):
        BoardInput(["A"], np.ones((2, 3)), np.ones((2, 3)))


def test_a_run_among_equals_shares_their_range_and_a_clear_winner_stands_alone():
    rng = np.random.default_rng(4)
    noise = rng.normal(0.5, 0.1, (4, 400))
    best, worst = np.full((1, 400), 0.9), np.full((1, 400), 0.1)
    values = np.vstack([noise, best + rng.normal(0, 0.05, 400), worst + rng.normal(0, 0.05, 400)])

    rows = {row.run: row for row in draw_board(BoardInput(list("ABCDEF"), values, scale=FLOATS), seed=1).rows}

    assert {run: (row.official.first, row.official.last) for run, row in rows.items()} == {
        "A": (2, 5),
        "B": (2, 5),
        "C": (2, 5),
        "D": (2, 5),
        "E": (1, 1),
        "F": (6, 6),
    }
