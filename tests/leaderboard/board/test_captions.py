"""Captions of the board's figures."""

import pytest

from leaderboard.board.board_output import board_analysis
from leaderboard.board.boards import make_leaderboard
from leaderboard.board.rounding import rounded_board


@pytest.mark.parametrize(
    ("withheld", "version_withheld", "said"),
    [
        (False, False, "One point per run with both 95% intervals; the"),
        (True, False, "One point per run with its 95% interval under preference qrels; the"),
        (False, True, "One point per run with its 95% interval under official qrels; the"),
        (True, True, "One point per run; the"),
    ],
)
def test_the_caption_names_the_labels_whose_values_have_intervals(
    valley, version, withheld, version_withheld, said
):
    board = make_leaderboard(
        collection=valley.collection, version=version, official=valley.official, runs=valley.runs
    )
    shown = rounded_board(
        board, official=1, preference=1, withheld=withheld, version_withheld=version_withheld
    )

    captions = {figure.key: figure.caption for figure in board_analysis(shown).figures}

    assert captions["against"].startswith(said)
