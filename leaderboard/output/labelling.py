"""Places for the names of points: none over another name or over a point. Pure.

Greedy, in the order in which names are given: each takes the first free place beside its point, then farther away
in rings (with a line to it, which is the drawing's matter). One that finds none is left out: a name that lies over
another tells nothing. (adjustText, the usual library, moves labels until few overlap and promises no more.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

#: How far a name's box is from its point, ring by ring, and how close boxes may come to each other.
RINGS = (5.2, 9.5, 15.0, 22.0, 30.0, 40.0, 52.0, 66.0)
APART = 1.0
#: Half the side of the square that a point takes.
POINT = 2.5
#: Directions from the point, the best first: right above, left above, right below, and so on.
DIRECTIONS = tuple(
    (math.cos(math.radians(angle)), math.sin(math.radians(angle)))
    for angle in (45, 135, 315, 225, 0, 180, 90, 270, 20, 160, 340, 200, 65, 115, 295, 245)
)
#: A direction that goes less far than this along an axis has the box in the middle there.
STRAIGHT = 0.3


@dataclass(frozen=True)
class Box:
    """A rectangle, in points."""

    left: float
    bottom: float
    right: float
    top: float

    def meets(self, other: Box) -> bool:
        """Whether the two are closer than boxes may come."""
        return (
            self.left < other.right + APART
            and other.left < self.right + APART
            and self.bottom < other.top + APART
            and other.bottom < self.top + APART
        )

    def inside(self, other: Box) -> bool:
        """Whether all of it lies in the other."""
        return (
            self.left >= other.left
            and self.right <= other.right
            and self.bottom >= other.bottom
            and self.top <= other.top
        )


@dataclass(frozen=True)
class Named:
    """A point with a name: where it is, and how large its name is when written."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Place:
    """Where a name is written, and whether that is so far away that a line should lead there."""

    box: Box
    led: bool


def label_places(
    named: Sequence[Named], points: Sequence[tuple[float, float]], bounds: Box
) -> list[Place | None]:
    """A place for each name within the bounds, or None; ``points`` are all that must stay in sight."""
    taken = [Box(x - POINT, y - POINT, x + POINT, y + POINT) for x, y in points]
    found: list[Place | None] = []
    for one in named:
        place = _first_free(one, taken, bounds)
        taken += [] if place is None else [place.box]
        found.append(place)
    return found


def _first_free(one: Named, taken: Sequence[Box], bounds: Box) -> Place | None:
    for ring, far in enumerate(RINGS):
        for right, up in DIRECTIONS:
            box = _box(one, right, up, far)
            if box.inside(bounds) and not any(map(box.meets, taken)):
                return Place(box, led=ring > 0)
    return None


def _box(one: Named, right: float, up: float, far: float) -> Box:
    """The name's box in a direction: its near corner, or the middle of its near edge, is ``far`` away."""
    left = _start(one.x, right, far, one.width)
    bottom = _start(one.y, up, far, one.height)
    return Box(left, bottom, left + one.width, bottom + one.height)


def _start(at: float, direction: float, far: float, size: float) -> float:
    """Where the box begins on one axis."""
    near = at + direction * far
    if abs(direction) < STRAIGHT:
        return near - size / 2
    return near if direction > 0 else near - size
