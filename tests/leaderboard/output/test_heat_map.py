"""Shades of a map, and its overview in blocks."""

import re

import numpy as np
import pytest

from leaderboard.output.heat_map import COLUMNS_DRAWN, ROWS_DRAWN, SHADES, overview_of, shades


def test_shades_rise_with_values_and_only_nothing_is_empty():
    values = np.array([0.0, np.nan, 1e-6, 0.125, 0.126, 0.5, 0.999, 1.0])

    assert shades(values).tolist() == [0, 0, 1, 1, 2, 4, 8, 8]


def test_a_value_that_rounding_moved_has_the_shade_of_its_step():
    assert shades(np.array([0.1 + 0.2 + 0.2])).tolist() == shades(np.array([0.5])).tolist()


def test_blocks_of_one_shade_that_touch_are_one_rectangle():
    overview = overview_of(np.array([[1.0, 1.0, 0.0, 1.0], [0.0, 0.5, 0.5, 0.0]]))

    assert (overview.rows, overview.columns, overview.rows_a_block, overview.columns_a_block) == (2, 4, 1, 1)
    assert overview.paths == {4: "M1 1h2v1h-2z", 8: "M0 0h2v1h-2zM3 0h1v1h-1z"}


@pytest.mark.parametrize("shape", [(1, 1), (121, 3), (7, 101), (6980, 300)])
def test_every_row_and_column_is_in_one_block(shape):
    overview = overview_of(np.ones(shape))

    assert (overview.row_starts[0], overview.row_starts[-1]) == (0, shape[0])
    assert (overview.column_starts[0], overview.column_starts[-1]) == (0, shape[1])
    assert all(np.diff(overview.row_starts) > 0)
    assert overview.rows <= ROWS_DRAWN
    assert overview.columns <= COLUMNS_DRAWN
    # A matrix of ones is full, whatever the blocks.
    assert list(overview.paths) == [SHADES]
    drawn = [int(width) for width in re.findall(r"M\d+ \d+h(\d+)v1", overview.paths[SHADES])]
    assert sum(drawn) == overview.rows * overview.columns


def test_a_block_has_the_mean_of_its_values():
    values = np.zeros((ROWS_DRAWN * 2, 1))
    values[::2] = 1.0  # every block is half

    assert list(overview_of(values).paths) == [SHADES // 2]
