"""Names beside points: none covers another name or a point, even in a crowd."""

from itertools import combinations

import numpy as np
import pytest

from leaderboard.output.label_positions import Box, NamedPoint, label_places

PAGE = Box(0, 0, 300, 300)


def crossing(one: Box, other: Box) -> bool:
    return (
        one.left < other.right
        and other.left < one.right
        and one.bottom < other.top
        and other.bottom < one.top
    )


def test_a_name_alone_stands_close_to_the_upper_right_of_its_point():
    (place,) = label_places([NamedPoint(100, 100, 40, 6)], [(100, 100)], PAGE)

    assert 100 < place.box.left < 105
    assert 100 < place.box.bottom < 105
    assert not place.led


def test_two_runs_at_one_point_are_both_named():
    both = label_places([NamedPoint(100, 100, 40, 6)] * 2, [(100, 100)] * 2, PAGE)

    assert not crossing(both[0].box, both[1].box)


def test_a_name_stays_within_the_page():
    (place,) = label_places([NamedPoint(298, 298, 40, 6)], [(298, 298)], PAGE)

    assert place.box.inside(PAGE)


@pytest.mark.parametrize("seed", range(5))
def test_names_lie_over_no_other_and_over_no_point_in_a_crowd(seed):
    points = np.random.default_rng(seed).normal(150, 40, (60, 2))
    named = [NamedPoint(x, y, 40, 6) for x, y in points]

    found = [place.box for place in label_places(named, points.tolist(), PAGE) if place]

    assert len(found) > 30
    assert not any(crossing(one, other) for one, other in combinations(found, 2))
    assert not any(crossing(one, Box(x - 2, y - 2, x + 2, y + 2)) for one in found for x, y in points)


def test_a_name_is_shortened_if_only_that_fits():
    (place,) = label_places([NamedPoint(30, 15, 80, 6, least_width=20)], [(30, 15)], Box(0, 0, 60, 30))

    assert place.shortened
    assert place.box.right - place.box.left == 20


def test_a_name_without_room_is_left_out_rather_than_written_over_others():
    tiny = Box(0, 0, 70, 14)

    places = label_places([NamedPoint(35, 7, 20, 6)] * 9, [(35, 7)] * 9, tiny)

    assert 0 < sum(place is not None for place in places) < 9
