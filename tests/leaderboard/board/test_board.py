"""The board: ranks, shifts, the perfect run, worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from leaderboard.board.standings import (
    PERFECT,
    BoardInput,
    BoardRow,
    Estimate,
    competition_ranks,
    draw_board,
    standing_out,
)
from leaderboard.scoring.scales import Scale


def worked_board(seed=1):
    """Four queries, three runs. The official qrel is a best answer for one of the four."""
    official = [[1, 1, 0.5, 0], [1, 0.5, 0, 0], [0.5, 0, 0, 0], [1, 1, 1, 1]]
    preference = [[0.5, 0, 0, 0], [0.5, 1, 1, 0], [1, 1, 0, 0.5], [1, 0, 0, 0]]
    judged = [[1, 1, 1, 0], [1, 1, 1, 1], [1, 0, 0, 0], [1, 1, 1, 1]]
    arrays = (np.array(rows, dtype=float) for rows in (official, preference, judged))
    return draw_board(BoardInput(["A", "B", "C"], *arrays), seed=seed)


def test_equal_totals_share_the_better_rank():
    assert competition_ranks(np.array([5, 9, 5, 1])).tolist() == [2, 1, 2, 4]


def test_a_board_worked_by_hand():
    rows = {row.run: row for row in worked_board().rows}

    assert rows["A"].official.value == 0.625
    assert rows["A"].preference.value == 0.125
    assert [(rows[r].rank_official, rows[r].rank_preference, rows[r].shift) for r in "ABC"] == [
        (1, 3, -2),
        (2, 1, 1),
        (3, 1, 2),
    ]
    assert (rows["A"].answered_official, rows["A"].answered_preference) == (0.75, 0.25)
    assert (rows["A"].judged_tops, rows["C"].judged_tops) == (0.75, 0.25)


def test_the_perfect_run_is_ranked_beside_the_runs():
    perfect = next(row for row in worked_board().rows if row.perfect)

    assert perfect.run == PERFECT
    assert (perfect.official.value, perfect.official.low, perfect.official.high) == (1.0, 1.0, 1.0)
    assert perfect.preference.value == 0.25
    assert (perfect.rank_official, perfect.rank_preference) == (1, 3)


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

    assert [row.rank_official for row in board.rows] == [1, 1, 1]


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

    assert [rows[run].rank_official for run in "BAC"] == [1, 2, 3]
    assert rows["A"].official.value == 2
    assert rows["A"].official.low == 1
    assert rows["A"].answered_official == pytest.approx(2 / 3)
    assert np.isnan([rows["C"].official.value, rows["C"].official.low, rows["C"].official.high]).all()


def test_equal_values_in_another_order_are_equal_runs():
    values = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [1.0, 1, 1]])
    given = BoardInput(["A", "B"], values, values, np.ones_like(values), Scale(whole=None))

    assert [row.rank_official for row in draw_board(given, seed=1).rows] == [1, 1, 1]


def test_runs_that_stand_out_lead_a_board_or_move_most():
    """Ten runs in official order; by preference the last comes fourth, which moves the others down by one."""
    value, order = Estimate(0.5, 0.4, 0.6), [0, 1, 2, 9, 3, 4, 5, 6, 7, 8]
    rows = [
        BoardRow(f"r{run}", value, value, run + 1, place + 1, run - place, 1.0, 1.0, 1.0)
        for place, run in enumerate(order)
    ]
    perfect = BoardRow(PERFECT, value, value, 1, 9, -8, 1.0, 1.0, 1.0, perfect=True)

    found = [row.run for row in standing_out([*rows[::-1], perfect], 2)]

    assert found == ["r0", "r1", "r9", "r3", "r4"]
