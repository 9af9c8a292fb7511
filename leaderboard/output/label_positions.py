"""Positions for the names of points, so that no name covers another name or a point.

The method is greedy, in the order given: each name gets the first free position beside its point, else the nearest
free position farther away (the drawing adds a line to the point). If there is no free position, the name is left out,
because overlapping names cannot be read. (adjustText, the usual library, moves labels until few overlap, but does not
rule out overlaps.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

#: Distances of a name's box from its point, in points, tried in this order; and the smallest gap between boxes.
RINGS = (5.2, 9.5, 15.0, 22.0, 30.0, 40.0, 52.0, 66.0)
APART = 1.0
#: Half the side of the square that a point occupies.
POINT = 2.5
#: Directions from the point, best first: above right, above left, below right, and so on.
DIRECTIONS = tuple(
    (math.cos(math.radians(angle)), math.sin(math.radians(angle)))
    for angle in (45, 135, 315, 225, 0, 180, 90, 270, 20, 160, 340, 200, 65, 115, 295, 245)
)
#: If a direction's component along an axis is smaller than this, the box is centered along that axis.
STRAIGHT = 0.3


@dataclass(frozen=True)
class Box:
    """A rectangle, in points (1/72 inch)."""

    left: float
    bottom: float
    right: float
    top: float

    def meets(self, other: Box) -> bool:
        """Return whether the two boxes overlap or are closer than the smallest gap."""
        return (
            self.left < other.right + APART
            and other.left < self.right + APART
            and self.bottom < other.top + APART
            and other.bottom < self.top + APART
        )

    def inside(self, other: Box) -> bool:
        """Return whether this box lies entirely inside the other."""
        return (
            self.left >= other.left
            and self.right <= other.right
            and self.bottom >= other.bottom
            and self.top <= other.top
        )


@dataclass(frozen=True)
class NamedPoint:
    """A point to name: its position, and the size of its written name.

    ``least_width`` is the width of a shorter form of the name, which is used if the full name fits nowhere.
    """

    x: float
    y: float
    width: float
    height: float
    least_width: float = math.inf


@dataclass(frozen=True)
class Place:
    """The position of a name. ``led``: whether it needs a line to its point; ``shortened``: whether to cut it."""

    box: Box
    led: bool
    shortened: bool = False


def label_places(
    named: Sequence[NamedPoint], points: Sequence[tuple[float, float]], bounds: Box
) -> list[Place | None]:
    """Return a position within the bounds for each name, or None if no position is free.

    No name covers any of the ``points``.
    """
    taken = [Box(x - POINT, y - POINT, x + POINT, y + POINT) for x, y in points]
    found: list[Place | None] = []
    for one in named:
        place = _first_free(one, taken, bounds)
        if place is None and one.least_width < one.width:
            place = _first_free(replace(one, width=one.least_width), taken, bounds)
            place = place and replace(place, shortened=True)
        taken += [] if place is None else [place.box]
        found.append(place)
    return found


def _first_free(one: NamedPoint, taken: Sequence[Box], bounds: Box) -> Place | None:
    for ring, far in enumerate(RINGS):
        for right, up in DIRECTIONS:
            box = _box(one, right, up, far)
            if box.inside(bounds) and not any(map(box.meets, taken)):
                return Place(box, led=ring > 0)
    return None


def _box(one: NamedPoint, right: float, up: float, far: float) -> Box:
    """Return the box of a name placed in the direction (``right``, ``up``) from its point.

    The box's near corner, or the middle of its near edge, is ``far`` away from the point.
    """
    left = _box_edge(one.x, right, far, one.width)
    bottom = _box_edge(one.y, up, far, one.height)
    return Box(left, bottom, left + one.width, bottom + one.height)


def _box_edge(at: float, direction: float, far: float, size: float) -> float:
    """Return the left or bottom edge of the box, on one axis."""
    near = at + direction * far
    if abs(direction) < STRAIGHT:
        return near - size / 2
    return near if direction > 0 else near - size
