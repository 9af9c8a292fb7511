"""Team names beside runs: in figures for print, and in charts on a page."""

from types import SimpleNamespace

import pytest

from leaderboard.board.board_output import board_analysis
from leaderboard.board.boards import make_leaderboard
from leaderboard.output.drawing import LONGEST_TEAM, draw_with_teams, figure_image
from leaderboard.output.table import Analysis
from leaderboard.output.team_columns import with_teams
from leaderboard.scoring.chosen_runs import chosen_runs
from tests.leaderboard.analyses.analysed import analysed


@pytest.fixture
def panels(valley):
    board = make_leaderboard(
        collection=valley.collection, version=None, official=valley.official, runs=valley.runs
    )

    def figure(**teams):
        return with_teams(board_analysis(board), teams).figures[0]

    return figure


def printed(figure):
    """Return the names on the first axes of a figure: of rows, of columns, and beside points."""
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas()
    figure.draw(canvas)
    axes = canvas.axes[0]
    found = ([*axes.get_yticklabels()], [*axes.get_xticklabels()], axes.texts)
    return [{text.get_text() for text in texts} for texts in found]


def test_rows_of_a_printed_figure_name_the_team(panels):
    figure = panels(new="Otters", old="A very long name of a team", odd="")

    assert printed(figure)[0] == {"new (Otters)", f"old ({'A very long name'[: LONGEST_TEAM - 1]}…)", "odd"}
    assert b"<svg" in figure_image(figure, "svg")


def test_a_printed_page_names_the_team_and_the_screen_has_it_in_a_note(panels):
    [chart] = panels(new="Otters").charts

    place = chart["rows"].index("new")
    assert chart["printed"][place] == "new (Otters)"
    assert chart["notes"][place].startswith("Otters")
    assert set(chart["rows"]) == {"new", "old", "odd"}


def test_points_and_columns_name_the_team(valley, version):
    board = make_leaderboard(
        collection=valley.collection, version=version, official=valley.official, runs=valley.runs
    )
    teams = {"new": "Otters", "old": "", "odd": ""}
    against = next(one for one in with_teams(board_analysis(board), teams).figures if one.key == "against")
    types = analysed("run_types", valley.collection, chosen_runs(valley.collection)).figures[0]

    assert printed(against)[2] == {"new (Otters)", "old", "odd"}
    assert printed(with_teams(Analysis(types.facts, (), (types,)), teams).figures[0])[1] == {
        "new (Otters)",
        "old",
        "odd",
    }


def test_axes_without_runs_stay_as_they_are():
    queries = SimpleNamespace(draw=lambda canvas: canvas.add_subplot().set_yticks([1, 2], ["q1", "q2"]))

    assert printed(SimpleNamespace(draw=lambda canvas: draw_with_teams(queries, canvas, {"new": "Otters"})))[
        0
    ] == {"q1", "q2"}
