"""The confusion matrix of grades as a grid: how the passages of each grade in one set are graded in the other."""

from typing import Any

from leaderboard.analyses.label_disagreement.computation import Confusion
from leaderboard.output import Facts, Figure, Table
from leaderboard.output.chart import Cells, chart_content

TITLE = "Where each grade goes"
#: Shares from this value on are written in white.
DARK = 0.65


def confusion_figure(found: Confusion, names: tuple[str, str], facts: Facts, data: Table) -> Figure:
    """Return the confusion matrix as a figure. Each cell shows its count and its share of the row's passages."""
    totals = found.counts.sum(axis=1)
    shares = found.counts / totals.clip(min=1)[:, None]

    def draw(canvas: Any) -> None:
        axes = canvas.subplots()
        axes.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
        for row, column in _filled_cells(found):
            count, share = int(found.counts[row, column]), float(shares[row, column])
            axes.text(
                column, row, f"{count:,}\n{share:.1%}", ha="center", va="center", fontsize=7,
                color="white" if share >= DARK else "black",
            )  # fmt: skip
        axes.set_xticks(range(len(found.second)), [str(grade) for grade in found.second])
        axes.set_yticks(range(len(found.first)), [str(grade) for grade in found.first])
        axes.set_xlabel(f"grade in {names[1]}")
        axes.set_ylabel(f"grade in {names[0]}")
        axes.grid(visible=False)

    chart = Cells(
        TITLE,
        rows=[f"{names[0]}: {grade}" for grade in found.first],
        columns=[str(grade) for grade in found.second],
        cells=[(row, column, float(shares[row, column])) for row, column in _filled_cells(found)],
        across=f"grade in {names[1]}",
        notes=[f"{int(total):,} passages" for total in totals],
    )
    caption = "Passages that both sets label; shares of each row."
    size = 1.2 + 0.6 * len(found.second), 1.0 + 0.5 * len(found.first)
    return Figure(
        "grades",
        TITLE,
        caption,
        facts,
        draw,
        data,
        (chart_content(chart),),
        max(4.0, size[0]),
        max(2.4, size[1]),
    )


def _filled_cells(found: Confusion) -> list[tuple[int, int]]:
    return [
        (row, column)
        for row, counts in enumerate(found.counts.tolist())
        for column, count in enumerate(counts)
        if count
    ]
