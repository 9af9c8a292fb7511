"""The result tables of a track: one table of runs for each task."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from config.plurals import many
from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.shared.combinations import labels_asked
from leaderboard.analyses.shared.described_runs import described_runs
from leaderboard.analyses.track_results.computation import ResultRow, result_rows
from leaderboard.errors import WrongSetting
from leaderboard.output import Analysis, Column, Facts, Kind, Row, Table
from leaderboard.output.table import as_number, best_marked, mean_measure
from leaderboard.scoring.evaluation import Progress
from leaderboard.scoring.labels import Labels
from leaderboard.scoring.measure_names import is_measure, measure_names, parse_measure
from leaderboard.scoring.measures import Measure
from leaderboard.scoring.score_facts import scoring_facts
from leaderboard.scoring.scores import score
from pooling.labels.query_splits import private_qids
from pooling.rules.run_details import Detail, KnownRun, value_in_words
from pooling.teams.run_fields import known_details

#: Default columns of a result table.
USUAL_DETAILS = ("subtask", "neural", "stage", "dense")
Values = dict[str, list[float | None]]


def analyse_results(asked: Asked, progress: Progress | None) -> Analysis:
    """Return one table per task: every run with its details and values.

    Raises a Refusal if there are no runs, or a measure, run detail or set of labels is unknown.
    """
    runs = described_runs(asked)
    names = list(dict.fromkeys(measure_names(asked.text("measures"))))
    measures = [parse_measure(name) for name in names]
    labels = _labels_to_score(asked)
    computed = _computed_values(asked, labels, names, progress) if asked.runs and labels else {}
    tables = result_rows(
        runs,
        computed,
        _reported_values(runs, measures),
        baselines=asked.text("baselines") != "without",
        higher_is_better=measures[0].higher_is_better,
    )
    if task := asked.text("task").casefold():
        tables = {name: rows for name, rows in tables.items() if name == task}
    shown = [row.run for rows in tables.values() for row in rows]
    queries = len(labels.qids) if labels else 0
    facts = scoring_facts(
        asked.collection, shown, [labels or "values as reported"], ", ".join(names), queries
    )
    details = _chosen_details(asked)
    return Analysis(
        facts,
        tuple(_task_table(task, rows, names, measures, details, facts) for task, rows in tables.items()),
    )


def _labels_to_score(asked: Asked) -> Labels | None:
    """Return the labels to score under; None if the collection has no labels and the request names none."""
    if not asked.text("qrels") and not asked.collection.qrel_sets.exists():
        return None
    labels = labels_asked(asked)
    return labels.without(private_qids(asked.collection)) if asked.released else labels


def _computed_values(asked: Asked, labels: Labels, names: Sequence[str], progress: Progress | None) -> Values:
    scores = score(
        collection=asked.collection,
        labels=labels,
        runs=asked.runs,
        measures=" ".join(names),
        progress=progress,
    )
    return {
        run.run_tag: [as_number(column.scored[place].mean) for column in scores.columns]
        for place, run in enumerate(scores.runs)
    }


def _reported_values(runs: Sequence[KnownRun], measures: Sequence[Measure]) -> Values:
    """Return run tag → values of these measures as the track reported them, under any of their names."""
    found: Values = {}
    for run in runs:
        by_name = {
            parse_measure(name).name: value for name, value in run.reported.items() if is_measure(name)
        }
        if by_name:
            found[run.run_tag] = [by_name.get(measure.name) for measure in measures]
    return found


def _chosen_details(asked: Asked) -> list[Detail]:
    known = known_details(asked.collection)
    names = asked.text("columns").replace(",", " ").split() or USUAL_DETAILS
    if strange := [name for name in names if name not in known]:
        raise WrongSetting(f"Unknown run detail {strange[0]!r}.", f"Known details: {', '.join(known)}.")
    return [known[name] for name in names]


def _task_table(
    task: str,
    rows: Sequence[ResultRow],
    names: Sequence[str],
    measures: Sequence[Measure],
    details: Sequence[Detail],
    facts: Facts,
) -> Table:
    found = tuple(Row(_result_cells(row, names, details)) for row in rows)
    for key, measure in zip(names, measures, strict=True):
        found = best_marked(found, key, higher=measure.higher_is_better)
    reported = sum(row.reported for row in rows)
    notes = [f"Values of {many(reported, 'run')} are as reported by the track."] if reported else []
    columns = (
        Column("run", "run"),
        Column("group", "group"),
        *(Column(one.name, one.label.lower()) for one in details),
        Column("baseline", "baseline"),
        *(Column(name, mean_measure(name), Kind.MEASURE) for name in names),
    )
    caption = f"Runs of the {task} task by group, in the order of {mean_measure(names[0])}."
    own = replace(facts, runs=tuple(row.run.run_tag for row in rows))
    return Table(f"results_{task}", f"Results: {task}", caption, columns, found, own, notes=tuple(notes))


def _result_cells(row: ResultRow, names: Sequence[str], details: Sequence[Detail]) -> Mapping[str, Any]:
    said = {
        one.name: value_in_words(one, row.run.details[one.name])
        for one in details
        if one.name in row.run.details
    }
    values = [*row.values, *[None] * (len(names) - len(row.values))]
    return {
        "run": row.run.run_tag,
        "group": row.run.team or None,
        **{one.name: said.get(one.name) for one in details},
        "baseline": "yes" if row.run.baseline else "no",
        **dict(zip(names, values, strict=True)),
    }
