"""Scores of runs as tables and a figure: the output of the command `score`."""

import numpy as np

from leaderboard.output import Analysis, Column, Facts, Figure, Interval, Kind, Row, Table
from leaderboard.output.chart import Series, Spans
from leaderboard.output.printed_charts import rows_figure
from leaderboard.output.table import best_marked, mean_measure
from leaderboard.scoring.intervals import LEVEL, SEED, TRIALS, bootstrap_intervals
from leaderboard.scoring.scales import scale_of
from leaderboard.scoring.score_facts import scoring_facts
from leaderboard.scoring.scores import Column as Scored, Scores, score_rows, scores_as_dict

CAPTION = (
    "Means over every query that the labels cover. A query that a run does not answer, or has no line for, counts "
    "with the measure's worst value (ESL leaves it out)."
)


def score_analysis(scores: Scores, *, per_query: bool = False, seed: int = SEED) -> Analysis:
    """Return the scores as an analysis: tables and a figure of each run's mean by each measure.

    One table has the means alone, and one has them with intervals. With ``per_query``, a third table has all values.
    """
    facts = scoring_facts(
        scores.runs[0].collection,
        scores.runs,
        [scores.labels],
        ", ".join(column.asked for column in scores.columns),
        len(scores.labels.qids),
        seed=seed,
        further=(("trials", f"{TRIALS:,}"),),
    )
    means = [_mean_intervals(column, seed) for column in scores.columns]
    data = _intervals_table(scores, means, facts)
    return Analysis(
        facts=facts,
        tables=(_means_table(scores, facts), data, *([_values_table(scores, facts)] if per_query else [])),
        figures=(_scores_figure(scores, means, data),),
        sentences=(scores.of_kind.sentence,) if scores.of_kind.left_out else (),
        content=scores_as_dict(scores, per_query=per_query),
    )


def _mean_intervals(column: Scored, seed: int) -> list[Interval]:
    """Return each run's mean by one measure with its interval. The resamples are the same for every measure."""
    values = np.stack([scored.values for scored in column.scored])
    found = bootstrap_intervals(
        values, rng=np.random.default_rng(seed), trials=TRIALS, whole=scale_of(column.measure).whole
    )
    return [
        Interval(scored.mean, float(low), float(high))
        for scored, low, high in zip(column.scored, found.low, found.high, strict=True)
    ]


def _means_table(scores: Scores, facts: Facts) -> Table:
    keys = [f"measure_{place}" for place in range(len(scores.columns))]
    found: tuple[Row, ...] = tuple(
        Row(
            {"run": run.run_tag}
            | {key: column.scored[i].mean for key, column in zip(keys, scores.columns, strict=True)}
        )
        for i, run in enumerate(scores.runs)
    )
    for key, column in zip(keys, scores.columns, strict=True):
        found = best_marked(found, key, higher=column.measure.higher_is_better)
    columns = [
        Column(key, mean_measure(one.asked), Kind.MEASURE)
        for key, one in zip(keys, scores.columns, strict=True)
    ]
    return Table(
        "scores", "Scores", CAPTION, (Column("run", "run"), *columns), found, facts, notes=_notes(scores)
    )


def _notes(scores: Scores) -> tuple[str, ...]:
    lower = [column.asked for column in scores.columns if not column.measure.higher_is_better]
    missing = sum(scored.missing > 0 for scored in scores.columns[0].scored)
    said = [f"Lower is better: {', '.join(lower)}."] if lower else []
    said += (
        [f"{missing:,} of {len(scores.runs):,} runs have no line for some of the queries."] if missing else []
    )
    return tuple(said)


def _intervals_table(scores: Scores, means: list[list[Interval]], facts: Facts) -> Table:
    columns = (
        Column("run", "run"),
        Column("measure", "measure"),
        Column("mean", "mean", Kind.INTERVAL),
        Column("answered", "queries answered", Kind.COUNT),
    )
    found = tuple(
        Row({"run": scored.run.run_tag, "measure": column.asked, "mean": mean, "answered": scored.answered})
        for column, some in zip(scores.columns, means, strict=True)
        for scored, mean in zip(column.scored, some, strict=True)
    )
    caption = f"Means with {LEVEL:.0%} percentile bootstrap intervals over queries."
    return Table("intervals", "Scores with intervals", caption, columns, found, facts)


def _values_table(scores: Scores, facts: Facts) -> Table:
    columns = (
        Column("run", "run"),
        Column("measure", "measure"),
        Column("qid", "query"),
        Column("value", "value", Kind.MEASURE),
    )
    found = tuple(
        Row(row)  # type: ignore[arg-type]
        for row in score_rows(scores, per_query=True)
        if row["qid"] != "all"
    )
    return Table("values", "Scores query by query", "Every query's value.", columns, found, facts)


def _scores_figure(scores: Scores, means: list[list[Interval]], data: Table) -> Figure:
    """Return a figure with one panel per measure. Runs are in the order of the first measure, the best on top."""
    order = _run_order(scores)
    charts = [
        Spans(
            _axis_title(column),
            _axis_title(column),
            [scores.runs[i].run_tag for i in order],
            [Series(column.asked, [some[i].estimate for i in order])],
        )
        for column, some in zip(scores.columns, means, strict=True)
    ]
    return rows_figure("scores", "Scores", data.caption, charts, data)


def _run_order(scores: Scores) -> list[int]:
    first = scores.columns[0]
    standing = scale_of(first.measure).standings(np.stack([scored.values for scored in first.scored]))
    return sorted(range(len(scores.runs)), key=lambda i: (-standing[i], scores.runs[i].run_tag))


def _axis_title(column: Scored) -> str:
    name = mean_measure(column.asked)
    return name if column.measure.higher_is_better else f"{name} (lower is better)"
