"""Per-query values of runs under labels: computed once, stored as arrays."""

import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from leaderboard.cache.kept_values import record_use
from leaderboard.cache.software_version import software_key
from leaderboard.errors import UnknownMeasure
from leaderboard.models import Evaluation
from leaderboard.scoring.labels import ORDER, Labels
from leaderboard.scoring.measure_names import parse_measure
from leaderboard.scoring.measures import Measure, RankedLabels, depth_needed
from pooling.files.ranking import Ranking
from pooling.files.wanted_ranks import find_wanted
from pooling.models import Collection, Run
from pooling.storage.ranking_files import ranking_of

RUNS_AT_ONCE = 400
#: The number of runs read concurrently, so that one is processed while another waits for its file.
READERS = 2
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Scored:
    """A run's values of one measure, one per covered query, in the labels' query order.

    ``answered`` is the number of queries that the run answers, and ``missing`` is the number of queries for which it
    has no line.
    """

    run: Run
    measure: str
    values: npt.NDArray[np.float64]
    mean: float
    answered: int
    missing: int


def measure_for(name: str, labels: Labels) -> Measure:
    """Return the measure of this name, with the lowest relevant grade of the labels.

    A grade in the name, as in ``AP(rel=2)``, takes precedence. nDCG, NCG and ERR use every grade of 1 or higher,
    like trec_eval's nDCG, and Compat's ideal ranking includes all those grades. Raises UnknownMeasure for every
    measure but Compat without ``rel`` under an order of preference, whose levels define neither relevant passages nor
    gains.
    Also raises it for ERR if the labels have grades above the highest for which ERR is defined. The error does not
    state the labels' highest grade, because labels can be withheld.
    """
    measure = parse_measure(name)
    if labels.ordinal and not (measure.ordinal and measure.rel == 1):
        raise UnknownMeasure(
            f"{labels.name} is an order of preference, and {measure.name} needs grades of relevance.",
            f"Choose Compat(p=0.95) or the labels {labels.name.removesuffix(ORDER)}.",
        )
    most = int(labels.grades.max(initial=0))
    if measure.most_grade is not None and most > measure.most_grade:
        raise UnknownMeasure(
            f"{measure.name} is defined for grades up to {measure.most_grade}, and {labels.name} has higher grades.",
            f"Choose another measure, such as nDCG@{measure.cutoff}.",
        )
    if "rel=" in name or measure.graded:
        return measure
    return replace(measure, rel=labels.min_grade)


def ranking_measure(name: str, labels: Labels) -> Measure:
    """Return the measure like :func:`measure_for`, if it has a value for every query and so can rank runs.

    Also raises UnknownMeasure for ESL, which is undefined for unanswered queries.
    """
    measure = measure_for(name, labels)
    if measure.unanswered != measure.unanswered:
        raise UnknownMeasure(
            f"{measure.name} has values only for answered queries, so it cannot rank runs.",
            "Choose another measure, such as RR@10.",
        )
    return measure


def evaluate(
    *,
    collection: Collection,
    runs: Sequence[Run],
    labels: Labels,
    measures: Sequence[Measure],
    progress: Progress | None = None,
) -> dict[tuple[int, str], Scored]:
    """Return (run key, name of the measure) → values. Values that are not stored yet are computed and stored."""
    [found] = evaluate_under(collection=collection, runs=runs, sides=[(labels, measures)], progress=progress)
    return found


def evaluate_under(
    *,
    collection: Collection,
    runs: Sequence[Run],
    sides: Sequence[tuple[Labels, Sequence[Measure]]],
    progress: Progress | None = None,
) -> list[dict[tuple[int, str], Scored]]:
    """Return the results of :func:`evaluate` for several sets of labels, each with its measures.

    Each run is read only once for all labels, and no deeper than needed. Rows are stored under unique keys, so
    concurrent calls are safe.
    """
    stored = [_stored_evaluations(runs, labels, measures) for labels, measures in sides]
    record_use([row for rows in stored for row in rows.values()])
    lacking = {
        run: [
            (side, measure)
            for side, (_, measures) in enumerate(sides)
            for measure in measures
            if (run.pk, measure.name) not in stored[side]
        ]
        for run in runs
    }
    lacking = {run: missing for run, missing in lacking.items() if missing}

    def compute(run: Run) -> list[tuple[int, Evaluation]]:
        ranking = ranking_of(run, depth_needed([measure for _, measure in lacking[run]]))
        found = []
        for side, (labels, _) in enumerate(sides):
            missing = [measure for place, measure in lacking[run] if place == side]
            rows = _compute_evaluations(collection, run, ranking, labels, missing) if missing else ()
            found += [(side, row) for row in rows]
        return found

    fresh: list[Evaluation] = []
    with ThreadPoolExecutor(READERS) as pool:
        for done, rows in enumerate(pool.map(compute, lacking), start=1):
            for side, row in rows:
                fresh.append(row)
                stored[side][row.run_id, row.measure] = row
            if progress:
                progress(done, len(lacking))
    # Another process may have stored the same values in the meantime; either copy is correct.
    Evaluation.objects.bulk_create(fresh, ignore_conflicts=True, batch_size=100)
    by_key = {run.pk: run for run in runs}
    return [{key: _scored_from(by_key[key[0]], row) for key, row in rows.items()} for rows in stored]


def _stored_evaluations(
    runs: Iterable[Run], labels: Labels, measures: Iterable[Measure]
) -> dict[tuple[int, str], Evaluation]:
    keys = [run.pk for run in runs]
    rows: dict[tuple[int, str], Evaluation] = {}
    for start in range(0, len(keys), RUNS_AT_ONCE):
        found = Evaluation.objects.filter(
            run__in=keys[start : start + RUNS_AT_ONCE],
            labels=labels.name,
            labels_sha256=labels.sha256,
            measure__in=[measure.name for measure in measures],
            software_version=software_key(),
        )
        rows |= {(row.run_id, row.measure): row for row in found}
    return rows


def _compute_evaluations(
    collection: Collection, run: Run, ranking: Ranking, labels: Labels, measures: Sequence[Measure]
) -> list[Evaluation]:
    places = find_wanted(ranking, labels.wanted)
    judged = RankedLabels(len(labels.qids), labels.query, labels.grades, places.rank)
    rows = []
    for measure in measures:
        values = measure.values(judged)
        mean = measure.mean(values)
        rows.append(
            Evaluation(
                collection=collection,
                run=run,
                labels=labels.name,
                labels_sha256=labels.sha256,
                measure=measure.name,
                values=values.astype("<f8").tobytes(),
                mean=None if math.isnan(mean) else mean,
                queries_count=len(labels.qids),
                answered_count=int(measure.answered(judged).sum()),
                missing_count=int((places.retrieved == 0).sum()),
                software_version=software_key(),
            )
        )
    return rows


def _scored_from(run: Run, row: Evaluation) -> Scored:
    return Scored(
        run=run,
        measure=row.measure,
        values=np.frombuffer(row.values, dtype="<f8"),
        mean=math.nan if row.mean is None else row.mean,
        answered=row.answered_count,
        missing=row.missing_count,
    )
