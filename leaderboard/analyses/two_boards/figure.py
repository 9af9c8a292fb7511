"""The plot of one board against the other, with a point for each run."""

from collections.abc import Sequence

from leaderboard.analyses.two_boards.computation import TwoBoards
from leaderboard.output import Figure, Table
from leaderboard.output.chart import Point, Points
from leaderboard.output.printed_charts import points_figure

#: The maximum number of runs that are all named. With more, the top runs and the runs that move most are named.
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
    data: Table,
    highlight: Sequence[str] = (),
    types: Sequence[str] = (),
) -> Figure:
    """Plot the mean of every run on the second board against its mean on the first.

    ``highlight`` has the tags of the runs to name and color ([MM] figure 4). If it is empty, all runs
    are named, or of many runs the top ones and those that move most. ``types`` has every run's type, shown by color
    and mark ([DL] figure 5).
    """
    named = [run_tags.index(tag) for tag in highlight] or _runs_to_name(found)
    told = HIGHLIGHTED if highlight else NAMED
    points = list(zip(found.first.tolist(), found.second.tolist(), strict=True))

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
    return points_figure("against", caption, chart, data)


def _runs_to_name(found: TwoBoards) -> list[int]:
    """Return the indexes of the runs to name, in the order of their ranks on the second board."""
    everything = range(len(found.first))
    by_second = sorted(everything, key=lambda place: int(found.second_ranks[place]))
    if len(everything) <= NAMED_ALL:
        return by_second
    by_first = sorted(everything, key=lambda place: int(found.first_ranks[place]))
    wanted = {*by_first[:NAMED_OF_EACH], *by_second[:NAMED_OF_EACH], *found.moved_most(NAMED_OF_EACH)}
    return [place for place in by_second if place in wanted]
