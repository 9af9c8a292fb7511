"""The board's figure as coordinates."""

from __future__ import annotations

import pytest

from web.figure import ROW, FigureRow, board_figure


def row(name, official, preference, ranks, **details):
    return FigureRow(name, (official,) * 3, preference, *ranks, **details)


def test_values_lie_on_the_axis_of_their_panel_in_proportion():
    figure = board_figure([row("a", 0.3, (0.6, 0.0, 1.2), (1, 1))])

    drawn = figure.rows[0]
    assert drawn.preference.low == figure.preference.left
    assert drawn.preference.high == pytest.approx(figure.preference.right, abs=0.1)
    assert drawn.preference.x - figure.preference.left == pytest.approx(
        2 * (drawn.official.x - figure.official.left), abs=0.2
    )


def test_each_panel_has_the_order_of_its_own_board():
    figure = board_figure([row("up", 0.1, (0.3,) * 3, (2, 1)), row("down", 0.2, (0.1,) * 3, (1, 2))])

    up, down = figure.rows
    assert up.official.y == down.preference.y > down.official.y == up.preference.y
    assert figure.official.right < figure.name_right < figure.names_left < figure.preference.left


def test_the_perfect_run_stands_above_the_first_run():
    figure = board_figure(
        [row("perfect run", 1.0, (0.5,) * 3, (1, 1), perfect=True), row("BM25", 0.2, (0.4,) * 3, (1, 1))]
    )

    perfect, first = figure.rows
    assert perfect.y_official < first.y_official


def test_lines_lead_from_one_order_to_the_other():
    figure = board_figure(
        [row("up", 0.1, (0.3, 0.3, 0.3), (2, 1)), row("down", 0.2, (0.1, 0.1, 0.1), (1, 2))]
    )

    up, down = figure.rows
    assert (up.move, down.move) == ("up", "down")
    assert (up.y_official - up.y_preference, down.y_official - down.y_preference) == (ROW, -ROW)


@pytest.mark.parametrize("highest", [0.0001, 0.06, 0.33, 0.61, 1.0])
def test_the_axis_reaches_past_every_value_with_few_ticks(highest):
    figure = board_figure([row("a", highest, (highest,) * 3, (1, 1))])

    assert figure.rows[0].official.x <= figure.official.right + 0.1
    assert 2 <= len(figure.ticks) <= 7


def test_long_names_are_cut_and_kept_whole_for_the_title():
    drawn = board_figure([row("n" * 200, 0.1, (0.1,) * 3, (1, 1))]).rows[0]

    assert len(drawn.name) == 26
    assert drawn.full_name == "n" * 200


def test_a_figure_higher_than_a_window_has_room_for_its_axis_at_the_foot():
    short, long = (
        board_figure([row(f"r{n}", 0.1, (0.1,) * 3, (n, n)) for n in range(rows)]) for rows in (40, 41)
    )

    assert (short.long, long.long) == (False, True)
    assert long.height - long.bottom > short.height - short.bottom


def test_no_rows_make_an_empty_figure():
    assert board_figure([]).rows == []


def test_names_take_no_more_room_than_the_longest_needs():
    narrow, wide, widest = (
        board_figure([row("n" * letters, 0.1, (0.2,) * 3, (1, 1))]) for letters in (4, 20, 200)
    )

    assert narrow.width < wide.width < widest.width
    assert widest.rows[0].name.endswith("…")
