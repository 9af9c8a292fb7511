"""The board over time: a table of runs by date, and a figure of the state of the art."""

from typing import Any

import numpy as np

from config.plurals import many
from leaderboard.analyses.compare.comparison import BoardOverTime, Step
from leaderboard.analyses.compare.significance import bonferroni
from leaderboard.analyses.compare.verdicts import Claim
from leaderboard.output import Analysis, Column, Figure, Kind, Row, Table
from leaderboard.output.chart import Point, Points, chart_content
from leaderboard.output.drawing import GRAY, OFFICIAL, PREFERENCE, name_points
from leaderboard.output.table import rows_of

T_TEST = "paired t-test on RR"
SIGNIFICANT_CLAIMS = (Claim.STRICTLY_BETTER, Claim.DO_NO_HARM)


def progress_analysis(board: BoardOverTime) -> Analysis:
    """Return the board over time, with a sentence for each run that displaced another.

    Undated runs other than baselines have a separate table.
    """
    table = progress_table(board)
    apart = undated_table(board)
    compared = [step.compared for step in board.steps if step.compared is not None]
    return Analysis(
        facts=board.facts,
        tables=tuple(one for one in (table, apart) if one.rows) or (table,),
        figures=(progress_figure(board, table),) if any(step.submitted for step in board.steps) else (),
        sentences=tuple(pair.sentence for pair in compared),
        content={"alpha": board.rules.alpha, "m": board.rules.m, "steps": board.rules.comparisons},
    )


def progress_table(board: BoardOverTime) -> Table:
    """Return a table with one row per dated run or baseline, by date."""
    steps = sum(step.compared is not None for step in board.steps)
    columns = (
        Column("date", "date"),
        Column("run", "run"),
        Column("value", f"M{board.facts.measure}", Kind.MEASURE),
        Column("state_of_the_art", "state of the art"),
        Column("displaced", "displaced"),
        Column("change", "Δ", Kind.CHANGE, "step"),
        Column("t_p", "p", Kind.P, T_TEST),
        Column("t_corrected", "p, corrected", Kind.P, T_TEST),
        Column("claim", "verdict", group="by outcomes"),
        Column("favours", "in favor of", group="by outcomes"),
    )
    return Table(
        "progress",
        "The leaderboard over time",
        "The state of the art begins with the first run above every baseline; each later step is a run that beats "
        "the best. Each step compares the run with the one it displaced. The p-values are of the paired t-test on "
        "reciprocal ranks over all queries"
        + (f", also corrected for the {many(steps, 'step')}" if steps else "")
        + ". The verdict comes from other tests, of the outcomes query by query (Lin et al., SIGIR 2021). Its "
        "sentence states their p-values.",
        columns,
        tuple(_step_row(board, step, max(1, steps)) for step in board.steps if not _is_undated(step)),
        board.facts,
        significance=f"corrected p is at most {board.rules.alpha:g}",
    )


def undated_table(board: BoardOverTime) -> Table:
    """Return a table of the undated runs except baselines, best first."""
    apart = sorted(filter(_is_undated, board.steps), key=lambda step: -step.value)
    columns = (Column("run", "run"), Column("value", f"M{board.facts.measure}", Kind.MEASURE))
    return Table(
        "undated",
        "Runs without a date of submission",
        "Runs without a date are never the state of the art. To add a date, press Describe on the run's page. To add "
        "dates to many runs, use Describe with a table on the page Runs.",
        columns,
        rows_of(apart, columns),
        board.facts,
    )


def _is_undated(step: Step) -> bool:
    return step.submitted is None and not step.baseline


def _step_row(board: BoardOverTime, step: Step, steps: int) -> Row:
    pair = step.compared
    values: dict[str, Any] = {
        "date": step.submitted.isoformat() if step.submitted else None,
        "run": step.run,
        "value": step.value,
        "state_of_the_art": "yes" if step.state_of_the_art else "baseline" if step.baseline else None,
    }
    if pair is None:
        return Row(values)
    p = pair.outcomes.naive.paired_t.p
    values |= {
        "displaced": pair.a,
        "change": pair.outcomes.change,
        "t_p": p,
        "t_corrected": bonferroni(p, steps),
        "claim": pair.verdict.claim.words if pair.verdict.claim is not Claim.NONE else None,
        "favours": pair.favored,
    }
    significant = {"t_p"} if bonferroni(p, steps) <= board.rules.alpha else set()
    return Row(values, significant=frozenset(significant))


def step_significant(step: Step) -> bool:
    """Return whether the run is strictly better than the run that it displaced, or improves and does no harm."""
    return (
        step.compared is not None
        and step.compared.verdict.favors > 0
        and step.compared.verdict.claim in SIGNIFICANT_CLAIMS
    )


def progress_figure(board: BoardOverTime, table: Table) -> Figure:
    """Plot the values of dated runs by date, with the state of the art as a line and significant steps filled."""
    dated = [step for step in board.steps if step.submitted]

    def draw(canvas: Any) -> None:
        from matplotlib.dates import AutoDateLocator, ConciseDateFormatter, date2num

        axes = canvas.subplots()
        days = date2num([step.submitted for step in dated])
        values = np.array([step.value for step in dated])
        best = np.array([step.state_of_the_art for step in dated])
        significant = np.array(list(map(step_significant, dated)))
        axes.plot(days[~best], values[~best], "o", color=GRAY, label="other runs")
        axes.step(days[best], values[best], where="post", color=OFFICIAL)
        for shown, fill, label in (
            (best & significant, PREFERENCE, "state of the art, significant step"),
            (best & ~significant, "white", "state of the art"),
        ):
            style = {"markerfacecolor": fill, "markeredgecolor": OFFICIAL, "linestyle": "none", "zorder": 3}
            axes.plot(days[shown], values[shown], "o", markersize=6, label=label, **style)
        locator = AutoDateLocator()
        axes.xaxis.set_major_locator(locator)
        axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))
        axes.set_ylabel(f"M{board.facts.measure}")
        axes.set_xlim(*time_shown(days.min(), days.max()))
        canvas.legend(loc="outside upper right", ncols=3)
        # The latest run is named first, so that the current best run keeps its label if labels overlap.
        named = [(dated[place].run, days[place], values[place]) for place in np.flatnonzero(best)[::-1]]
        name_points(canvas, axes, named, list(zip(days, values, strict=True)))

    return Figure(
        "progress",
        "The leaderboard over time",
        "Every dated run. The line joins the runs that were best when they arrived. A filled mark is a step "
        "with a tested verdict (strictly better, or do no harm) over the run it displaced.",
        board.facts,
        draw,
        data=table,
        charts=(chart_content(_progress_chart(board)),),
    )


def time_shown(first: float, last: float) -> tuple[float, float]:
    """Return the limits of the time axis, in days. If all runs have the same date, the axis is six days long."""
    aside = max(3.0, (last - first) * 0.04)
    return first - aside, last + aside


def _progress_chart(board: BoardOverTime) -> Points:
    dated = [(step, step.submitted) for step in board.steps if step.submitted]
    best = [place for place, (step, _) in enumerate(dated) if step.state_of_the_art]
    return Points(
        "The leaderboard over time",
        "date",
        f"M{board.facts.measure}",
        [
            Point(
                step.run,
                submitted.isoformat(),
                (step.value, None, None),
                _step_note(step),
            )
            for step, submitted in dated
        ],
        steps=best,
        named=best[::-1],
    )


def _step_note(step: Step) -> str:
    if step.baseline:
        return "baseline"
    if not step.state_of_the_art:
        return ""
    return "state of the art, significant step" if step_significant(step) else "state of the art"
