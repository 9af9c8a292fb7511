"""The forecast of a rehearsal: cost, time, exclusions, and the share of best answers or grades that it finds."""

import math
from collections import Counter
from typing import Any

import numpy as np

from judging.campaign.cost import quote_tasks
from judging.campaign.pairs import class_representatives
from judging.models import Campaign, Exclusion, Judgment, Submission, Task
from judging.simulation.rehearsals import Rehearsed
from judging.simulation.simulated_workers import SimulationSettings
from leaderboard.analyses.label_noise.winner_odds import Rules, odds_of_pools
from pooling.models import Passage, Qrel, QrelSet
from tournament.models import QueryResult
from tournament.services.resolution import resolve

#: About how many judgments are simulated for the largest pool size; every size gets the same number of tournaments.
DRAWN_JUDGMENTS = 400_000
MOST_TRIALS = 2000
SEED = 2022


def rehearsal_forecast(
    campaign: Campaign, rehearsed: Rehearsed, truth: QrelSet, settings: SimulationSettings
) -> dict[str, Any]:
    """Return the forecast for the campaign from the copy's results, ready for JSON.

    The cost with repeats follows from the copy's submissions per counted task, even if the rehearsal was stopped
    early. The excluded workers are simulated: careless workers, and honest workers who slipped.
    """
    copy = rehearsed.copy
    tasks, counted = campaign.tasks.count(), copy.tasks.filter(state=Task.State.DONE).count()
    work = Submission.objects.filter(campaign=copy, state=Submission.State.SUBMITTED)
    submitted, workers = work.count(), work.values("worker").distinct().count()
    excluded = Exclusion.objects.standing().filter(campaign=copy).count()
    foreseen = math.ceil(submitted * tasks / counted) if counted else submitted
    cost = quote_tasks(campaign, foreseen)
    return {
        "copy": copy.name,
        "workers": settings.workers,
        "careless": settings.careless,
        "error": settings.error,
        "gold_error": settings.gold_error,
        "truth": truth.name,
        "tasks": tasks,
        "counted": counted,
        "stopped": rehearsed.done.stopped,
        "submitted": submitted,
        "foreseen": foreseen,
        "cost": float(cost.total),
        "without_repeats": float(quote_tasks(campaign, tasks).total),
        "worked": workers,
        "excluded": excluded,
        "gold_failed": rehearsed.status["gold_failed"][:10],
        "judgments": rehearsed.done.judgments,
        **(
            _grades_right(copy, truth)
            if copy.grading
            else _best_answers_right(copy, truth) | _chance_of_best(campaign, settings.error)
        ),
    }


def _grades_right(copy: Campaign, truth: QrelSet) -> dict[str, Any]:
    """Count the copy's grades that agree with the labels about relevance; an unlabeled passage is not relevant."""
    assert copy.grading is not None
    labels = Qrel.objects.filter(qrel_set=truth, grade__gte=truth.min_grade)
    relevant: set[tuple[int, int | str]] = set(labels.values_list("query_id", "passage_id"))
    relevant |= set(labels.exclude(passage__class_key="").values_list("query_id", "passage__class_key"))
    rows = Judgment.objects.filter(campaign=copy, kind=Judgment.Kind.GRADE).counted()
    grades = rows.values_list("pair__query", "left", "left__class_key", "grade").iterator(chunk_size=5000)
    right = [
        (grade >= copy.grading.min_grade) == bool({(query, passage), (query, class_key)} & relevant)
        for query, passage, class_key, grade in grades
    ]
    return {"grades_known": len(right), "grades_right": sum(right)}


def _chance_of_best(campaign: Campaign, error: float) -> dict[str, Any]:
    """Return the chances that the truly best passage is found at this error rate.

    ``chance_alone``: as the only best answer. ``chance_among``: among the best answers. Queries without pairs are
    left out.
    """
    assert campaign.pool is not None
    sizes = Counter(len(passages) for passages in class_representatives(campaign.pool).values())
    sizes.pop(1, None)
    if not sizes:
        return {"chance_alone": None, "chance_among": None}
    largest = max(sizes)
    trials = max(50, min(MOST_TRIALS, DRAWN_JUDGMENTS // (largest * (largest - 1) // 2)))
    rules = Rules(judgments=campaign.judgments_per_pair)
    total = odds_of_pools(sizes, error, rules, rng=np.random.default_rng(SEED), trials=trials)[-1]
    return {"chance_alone": round(total.alone, 4), "chance_among": round(total.among, 4)}


def _best_answers_right(copy: Campaign, truth: QrelSet) -> dict[str, Any]:
    """Count the copy's queries with grades, and those whose best answer has the highest grade in the pool."""
    resolve(campaign=copy)
    assert copy.pool is not None
    pools = class_representatives(copy.pool)
    grades: dict[tuple[int, str], int] = {}
    labels = Qrel.objects.filter(qrel_set=truth, query__in=list(pools))
    rows = labels.values_list("query_id", "passage_id", "passage__class_key", "grade")
    for query, passage, class_key, grade in rows.iterator(chunk_size=5000):
        key = (query, class_key or f"passage {passage}")
        grades[key] = max(grade, grades.get(key, grade))
    keys = {passage for passages in pools.values() for passage in passages}
    names = dict(
        Passage.objects.filter(collection=copy.collection, pk__in=keys).values_list("pk", "class_key")
        if len(keys) < 10_000
        else Passage.objects.filter(collection=copy.collection).values_list("pk", "class_key")
    )

    def grade_of(query: int, passage: int) -> int:
        return grades.get((query, names.get(passage) or f"passage {passage}"), -1)

    known = right = 0
    for result in QueryResult.objects.filter(campaign=copy):
        pool = pools.get(result.query_id, [])
        highest = max((grade_of(result.query_id, one) for one in pool), default=-1)
        if len(pool) < 2 or highest < 0:
            continue
        known += 1
        right += any(grade_of(result.query_id, one) == highest for one in result.best_answer_ids)
    return {"queries_known": known, "queries_right": right}
