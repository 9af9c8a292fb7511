"""A query's tournament as a picture: passages on a circle, with an arrow from each preferred passage to the other."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

SIZE = 360.0
RADIUS = 128.0
NODE = 19.0
MOST_NODES = 9


@dataclass(frozen=True)
class Node:
    """A passage, with its letter in the picture and the table."""

    key: int
    letter: str
    x: float
    y: float
    best: bool


@dataclass(frozen=True)
class Arrow:
    """An arrow from the preferred passage to the other.

    ``level``: the pair is tied, so the arrow has no head. ``cycle``: both passages are in a cycle, so it is thick.
    """

    winner: str
    loser: str
    x1: float
    y1: float
    x2: float
    y2: float
    head: str
    """Points of the arrowhead, or empty."""
    level: bool
    cycle: bool


@dataclass(frozen=True)
class WinGraph:
    """Nodes and arrows in a square of side ``size``. ``left_out`` counts passages after the first ``MOST_NODES``."""

    size: float
    node: float
    nodes: list[Node]
    arrows: list[Arrow]
    left_out: int


def win_graph(
    passages: Sequence[int],
    letters: Mapping[int, str],
    wins: Mapping[tuple[int, int], float],
    best: Iterable[int],
    *,
    cycle: bool,
) -> WinGraph:
    """Draw the first ``MOST_NODES`` of ``passages`` and their preferences.

    ``wins[a, b]`` is how often a was preferred to b, halves allowed; pairs without an entry were not judged.
    """
    shown, bests = list(passages[:MOST_NODES]), set(best)
    nodes = {}
    for place, key in enumerate(shown):
        angle = 2 * math.pi * place / max(1, len(shown)) - math.pi / 2
        x, y = SIZE / 2 + RADIUS * math.cos(angle), SIZE / 2 + RADIUS * math.sin(angle)
        nodes[key] = Node(key, letters[key], round(x, 1), round(y, 1), key in bests)
    arrows = []
    for place, a in enumerate(shown):
        for b in shown[place + 1 :]:
            there, back = wins.get((a, b), 0.0), wins.get((b, a), 0.0)
            if there or back:
                winner, loser = (a, b) if there >= back else (b, a)
                thick = cycle and a in bests and b in bests
                arrows.append(_arrow_between(nodes[winner], nodes[loser], level=there == back, cycle=thick))
    return WinGraph(SIZE, NODE, list(nodes.values()), arrows, max(0, len(passages) - len(shown)))


def _arrow_between(start: Node, end: Node, *, level: bool, cycle: bool) -> Arrow:
    dx, dy = end.x - start.x, end.y - start.y
    length = math.hypot(dx, dy) or 1.0
    ux, uy = dx / length, dy / length
    x1, y1 = start.x + ux * NODE, start.y + uy * NODE
    x2, y2 = end.x - ux * NODE, end.y - uy * NODE
    head = ""
    if not level:
        back_x, back_y = x2 - 10 * ux, y2 - 10 * uy
        points = ((x2, y2), (back_x - 4.5 * uy, back_y + 4.5 * ux), (back_x + 4.5 * uy, back_y - 4.5 * ux))
        head = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        x2, y2 = back_x, back_y
    return Arrow(
        start.letter, end.letter, round(x1, 1), round(y1, 1), round(x2, 1), round(y2, 1), head, level, cycle
    )
