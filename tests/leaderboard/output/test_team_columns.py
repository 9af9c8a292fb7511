"""Team names beside runs: in figures for print, and in charts on a page."""

import pytest

from leaderboard.board.board_output import board_analysis
from leaderboard.board.boards import make_leaderboard
from leaderboard.output.drawing import LONGEST_TEAM, figure_image, name_teams
from leaderboard.output.team_columns import with_teams


@pytest.fixture
def panels(valley):
    board = make_leaderboard(
        collection=valley.collection, version=None, official=valley.official, runs=valley.runs
    )

    def figure(**teams):
        return with_teams(board_analysis(board), teams).figures[0]

    return figure


def row_labels(figure):
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas()
    figure.draw(canvas)
    return {label.get_text() for label in canvas.axes[0].get_yticklabels()}


def test_rows_of_a_printed_figure_name_the_team(panels):
    figure = panels(new="Otters", old="A very long name of a team", odd="")

    assert row_labels(figure) == {"new (Otters)", f"old ({'A very long name'[: LONGEST_TEAM - 1]}…)", "odd"}
    assert b"<svg" in figure_image(figure, "svg")


def test_a_printed_page_names_the_team_and_the_screen_has_it_in_a_note(panels):
    [chart] = panels(new="Otters").charts

    place = chart["rows"].index("new")
    assert chart["printed"][place] == "new (Otters)"
    assert chart["notes"][place].startswith("Otters")
    assert set(chart["rows"]) == {"new", "old", "odd"}


def test_axes_without_runs_stay_as_they_are():
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas()
    canvas.add_subplot().set_yticks([1, 2], ["q1", "q2"])

    name_teams(canvas, {"new": "Otters"})

    assert [label.get_text() for label in canvas.axes[0].get_yticklabels()] == ["q1", "q2"]
