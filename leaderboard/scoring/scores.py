"""Score runs: means of measures over the covered queries and, if requested, every query's value."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.cache.software_version import software_version
from leaderboard.errors import NothingToScore
from leaderboard.scoring.evaluation import Progress, Scored, evaluate, measure_for
from leaderboard.scoring.labels import Labels
from leaderboard.scoring.measure_names import measure_names
from leaderboard.scoring.measures import Measure
from pooling.collections.lookups import RunsOfKind, runs_of_kind, why_not_scored
from pooling.models import Collection, Run


@dataclass(frozen=True)
class Column:
    """One measure and each run's values.

    ``asked`` is the measure as requested, and ``measure`` also has the labels' lowest relevant grade.
    """

    asked: str
    measure: Measure
    scored: tuple[Scored, ...]


@dataclass(frozen=True)
class Scores:
    """The values of runs by several measures, over the queries that the labels cover.

    ``of_kind`` also has the runs that these labels cannot score.
    """

    labels: Labels
    runs: tuple[Run, ...]
    columns: tuple[Column, ...]
    of_kind: RunsOfKind


def score(
    *,
    collection: Collection,
    labels: Labels,
    runs: Sequence[Run],
    measures: str,
    progress: Progress | None = None,
) -> Scores:
    """Score runs under labels by measures named in one string.

    Runs of documents are left out under labels of passages, and the reverse. Raises NothingToScore if the labels
    cannot score any of the runs.
    """
    qrel_set = collection.qrel_sets.filter(name=labels.name).first()
    of_kind = runs_of_kind(runs, qrel_set)
    runs = of_kind.kept
    if runs and (why := why_not_scored(runs[0], qrel_set, collection.runs.all())):
        raise NothingToScore(why, "Choose other labels or other runs.")
    names = list(dict.fromkeys(measure_names(measures)))
    wanted = [(name, measure_for(name, labels)) for name in names]
    found = evaluate(
        collection=collection,
        runs=runs,
        labels=labels,
        measures=list(dict.fromkeys(measure for _, measure in wanted)),
        progress=progress,
    )
    columns = tuple(
        Column(name, measure, tuple(found[run.pk, measure.name] for run in runs)) for name, measure in wanted
    )
    return Scores(labels, tuple(runs), columns, of_kind)


def score_rows(scores: Scores, *, per_query: bool = False) -> list[dict[str, object]]:
    """Return one dictionary per value: run, measure, qid (``all`` for the mean) and value (None if missing)."""
    found: list[dict[str, object]] = []
    for column in scores.columns:
        for scored in column.scored:
            if per_query:
                found += [
                    _score_row(scored, column.asked, qid, value)
                    for qid, value in zip(scores.labels.qids, scored.values.tolist(), strict=True)
                ]
            found.append(_score_row(scored, column.asked, "all", scored.mean))
    return found


def scores_as_dict(scores: Scores, *, per_query: bool = False) -> dict[str, object]:
    """Return the rows and the facts behind them, as the content of ``--json``."""
    labels = scores.labels
    return {
        "collection": scores.runs[0].collection.name,
        "qrels": labels.name,
        "min_grade": labels.min_grade,
        "simulated": labels.simulated,
        "queries": len(labels.qids),
        "measures": {column.asked: column.measure.name for column in scores.columns},
        "missing": {
            scored.run.run_tag: scored.missing for scored in scores.columns[0].scored if scored.missing
        },
        "runs_left_out": [run.run_tag for run in scores.of_kind.left_out],
        "rows": score_rows(scores, per_query=per_query),
        "software": software_version(),
    }


def _score_row(scored: Scored, measure: str, qid: str, value: float) -> dict[str, object]:
    return {
        "run": scored.run.run_tag,
        "measure": measure,
        "qid": qid,
        "value": None if math.isnan(value) else value,
    }
