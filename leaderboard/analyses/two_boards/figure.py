"""One board against the other: a point for each run."""

from collections.abc import Sequence
from typing import Any

from leaderboard.analyses.two_boards.computation import TwoBoards
from leaderboard.output import Facts, Figure, Table
from leaderboard.output.chart import Point, Points, chart_content

#: Up to this number of runs, all are named; otherwise, the top runs and the runs that move most.
NAMED_ALL = 30
NAMED_OF_EACH = 5
NAMED = (
    f"Named: the first {NAMED_OF_EACH} runs of each board, and the {NAMED_OF_EACH} that move most. "
    "The table has every run."
)
HIGHLIGHTED = "Named: the chosen runs. The table has every run."
TITLE = "One board against the other"


def boards_figure(
    found: TwoBoards,
    run_tags: list[str],
    names: tuple[str, str],
    facts: Facts,
    data: Table,
    highlight: Sequence[str] = (),
    types: Sequence[str] = (),
) -> Figure:
    """Plot the mean of every run on the second board against its mean on the first.

    ``highlight``: the runs to name and color ([MM] figure 4); if empty, the top runs and the runs that move most.
    ``types``: every run's type, shown by color and mark ([DL] figure 5).
    """
    named = [run_tags.index(tag) for tag in highlight] or _runs_to_name(found)
    kinds = sorted(set(types))
    told = HIGHLIGHTED if highlight else NAMED
    points = list(zip(found.first.tolist(), found.second.tolist(), strict=True))

    def draw(canvas: Any) -> None:
        from leaderboard.output.drawing import GRAY, MARKERS, OFFICIAL, color_of, name_points

        axes = canvas.subplots()
        for place, (x, y) in enumerate(points):
            color, marker = OFFICIAL if place in named else GRAY, "o"
            if types:
                kind = kinds.index(types[place])
                color, marker = color_of(kind), MARKERS[kind % len(MARKERS)]
            axes.plot(x, y, marker, color=color, markersize=3, zorder=4 if place in named else 3)
        for kind, name in enumerate(kinds):
            axes.plot([], [], MARKERS[kind % len(MARKERS)], color=color_of(kind), label=name)
        if kinds:
            axes.legend()
        axes.set_xlabel(names[0])
        axes.set_ylabel(names[1])
        name_points(canvas, axes, [(run_tags[place], *points[place]) for place in named], points)

    chart = Points(
        TITLE,
        *names,
        [
            Point(tag, (x, None, None), (y, None, None), f"rank {first}, then {second}")
            for tag, (x, y), first, second in zip(
                run_tags, points, found.first_ranks.tolist(), found.second_ranks.tolist(), strict=True
            )
        ],
        named=named,
        note=told if len(named) < len(points) else "",
        groups=types,
    )
    caption = (
        "One point per run."
        + (" Color and mark show its type." if types else "")
        + (f" {told}" if len(named) < len(points) else "")
    )
    return Figure("against", TITLE, caption, facts, draw, data, (chart_content(chart),), 5.5, 4.5)


def _runs_to_name(found: TwoBoards) -> list[int]:
    """Return the indexes of the named runs, starting with those that rank higher on the second board."""
    everything = range(len(found.first))
    by_second = sorted(everything, key=lambda place: int(found.second_ranks[place]))
    if len(everything) <= NAMED_ALL:
        return by_second
    by_first = sorted(everything, key=lambda place: int(found.first_ranks[place]))
    wanted = {*by_first[:NAMED_OF_EACH], *by_second[:NAMED_OF_EACH], *found.moved_most(NAMED_OF_EACH)}
    return [place for place in by_second if place in wanted]
