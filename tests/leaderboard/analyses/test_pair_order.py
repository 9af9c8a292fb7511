"""Labels that win their pairs, and runs that order pairs as people did, worked by hand."""

import numpy as np

from leaderboard.analyses.board_agreement.computation import label_wins, ordered_pairs
from tests.leaderboard.field import contenders, judged

NODES = [(1, 11), (1, 12), (1, 13)]
FIELD = contenders({"A": {(1, 11): 1, (1, 12): 2, (1, 13): 3}, "B": {(1, 13): 4, (1, 12): 9}, "C": {}}, NODES)
SAID = FIELD.judged_pairs(
    judged([(1, 11, 12, 11), (1, 11, 13, 13), (1, 12, 13, 13), (1, 12, 13, 12), (1, 13, 12, 13)])
)


def test_labels_win_pairs_with_one_label():
    """11 beats 12 and loses to 13; 13 beats both, 12 by two judgments of three."""
    won = label_wins(np.array([True, False, False]), SAID)
    best = label_wins(np.array([False, False, True]), SAID)

    assert (won.count, won.total) == (1, 2)
    assert (best.count, best.total) == (2, 2)


def test_pairs_of_two_labeled_passages_are_left_out():
    won = label_wins(np.array([True, True, False]), SAID)

    assert (won.count, won.total) == (0, 2)


def test_each_run_orders_the_pairs_in_its_top_ten():
    rows = {row.run: row.as_people for row in ordered_pairs(FIELD, SAID)}

    assert (rows["A"].count, rows["A"].total) == (1, 3)
    assert (rows["B"].count, rows["B"].total) == (1, 1)
    assert (rows["C"].total, rows["C"].value) == (0, None)


def test_level_pairs_are_left_out_and_counted():
    said = FIELD.judged_pairs(judged([(1, 11, 12, 11), (1, 11, 12, 12)]))

    row = ordered_pairs(FIELD, said)[0]

    assert (row.as_people.total, row.level) == (0, 1)
