"""Pool sizes as rows of a histogram: how many queries have a pool of each size. No I/O."""

from collections.abc import Mapping
from dataclasses import dataclass

MOST_ROWS = 30
WIDTH = 240


@dataclass(frozen=True)
class Bar:
    """A row: the number of queries whose pool has ``least`` to ``most`` passages.

    ``everything`` counts all queries, ``chosen`` only the chosen ones. The widths of their bars are in SVG units.
    """

    least: int
    most: int
    everything: int
    chosen: int
    width_everything: float
    width_chosen: float

    @property
    def label(self) -> str:
        """The sizes in words."""
        return str(self.least) if self.least == self.most else f"{self.least}–{self.most}"


def histogram(everything: Mapping[int, int], chosen: Mapping[int, int]) -> list[Bar]:
    """Return one row per pool size, or per range of sizes if there are more than thirty.

    Both arguments map pool size → number of queries. The bars of the chosen queries have their own scale. So the
    shape of a small sample can be compared with that of all queries.
    """
    if not everything:
        return []
    first, last = min(everything), max(everything)
    span = -(-(last - first + 1) // MOST_ROWS)
    starts = range(first, last + 1, span)
    rows = [
        (
            start,
            min(start + span - 1, last),
            *(
                sum(counts.get(size, 0) for size in range(start, start + span))
                for counts in (everything, chosen)
            ),
        )
        for start in starts
    ]
    longest = max(row[2] for row in rows)
    longest_chosen = max((row[3] for row in rows), default=0) or 1
    return [
        Bar(
            least,
            most,
            whole,
            some,
            round(WIDTH * whole / longest, 1),
            round(WIDTH * some / longest_chosen, 1),
        )
        for least, most, whole, some in rows
    ]
