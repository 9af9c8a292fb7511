"""The figure of the private board: every submission's two values, and the differences between gains."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from leaderboard.analyses.private_board.computation import Step
from leaderboard.output import Column, Facts, Figure, Interval, Kind, Table
from leaderboard.output.chart import Series, Spans
from leaderboard.output.printed_charts import rows_figure
from leaderboard.output.table import rows_of

TITLE = "Public and private values of successive submissions"
VALUES = "Public and private values"
DIFFERENCE = "gain on public minus gain on private queries"
COLUMNS = (
    Column("team", "team"),
    Column("run", "run"),
    Column("date", "submitted"),
    Column("submission", "submission", Kind.COUNT),
    Column("public", "public", Kind.MEASURE),
    Column("private", "private", Kind.MEASURE),
    Column("excess", "difference of the gains", Kind.CHANGE),
)


@dataclass(frozen=True)
class Submission:
    """A run with its values on public and private queries.

    ``number`` is its position among the team's runs, from 1. ``step`` compares it with the team's first run. Both are
    None for baselines and runs without a team; ``step`` also for a team's first run.
    """

    team: str
    run: str
    date: str
    number: int | None
    public: float
    private: float
    step: Step | None = None

    @property
    def excess(self) -> Interval | None:
        """The gain on public queries minus that on private ones, with its interval; None without a ``step``."""
        return None if self.step is None else Interval(self.step.excess, self.step.low, self.step.high)


def private_figure(submissions: Sequence[Submission], measure: str, caption: str, facts: Facts) -> Figure:
    """Return a figure of the submissions in the order given. ``measure`` is the label of the axis of values."""
    later = [one for one in submissions if one.step]

    def mark(canvas: Any) -> None:
        from leaderboard.output.drawing import OFFICIAL, short_name

        for axes, shown in zip(canvas.axes, (submissions, later), strict=False):
            axes.set_yticks(range(len(shown)), [short_name(one.run) for one in shown])
        for place, one in enumerate(later):
            if one.step and not one.step.overfitting:
                canvas.axes[1].plot(one.step.excess, place, "o", color=OFFICIAL, markerfacecolor="white")

    charts = _submission_charts(submissions, later, measure)
    return rows_figure(
        "submissions", TITLE, caption, charts, _submissions_table(submissions, caption, facts), mark
    )


def _submission_charts(
    submissions: Sequence[Submission], later: Sequence[Submission], measure: str
) -> list[Spans]:
    values = Spans(
        VALUES,
        measure,
        [_submission_name(one) for one in submissions],
        [
            Series("public queries", [(one.public, None, None) for one in submissions]),
            Series("private queries", [(one.private, None, None) for one in submissions]),
        ],
        notes=[_submission_note(one) for one in submissions],
    )
    differences = Spans(
        "Gains over the team's first run",
        DIFFERENCE,
        [_submission_name(one) for one in later],
        [Series("difference", [one.excess.estimate for one in later if one.excess])],
        line=0.0,
        notes=[_submission_note(one) for one in later],
    )
    return [values, differences] if later else [values]


def _submission_name(one: Submission) -> str:
    return f"{one.team}: {one.run}" if one.team else one.run


def _submission_note(one: Submission) -> str:
    number = "" if one.number is None else f"submission {one.number}, "
    warned = "; looks like overfitting" if one.step is not None and one.step.overfitting else ""
    return f"{number}{one.date or 'undated'}{warned}"


def _submissions_table(submissions: Sequence[Submission], caption: str, facts: Facts) -> Table:
    rows = rows_of(submissions, COLUMNS, submission=lambda one: one.number)
    return Table("submissions", TITLE, caption, COLUMNS, rows, facts)
