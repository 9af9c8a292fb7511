"""What a rehearsal foretells of its campaign: cost, time, exclusions, and how often the best answer is found."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from judging.models import Campaign, Exclusion, Submission
from judging.rehearsal import Rehearsed
from judging.services.cost import quote_tasks
from judging.services.pairs import class_representatives
from judging.simulation import SimulationSettings
from leaderboard.winner_odds import Rules, odds_of_pools
from pooling.models import Passage, Qrel, QrelSet
from tournament.models import QueryResult
from tournament.services.resolving import resolve

#: Tournaments drawn for each pool size; as many judgments in all for large pools as for small ones.
DRAWN_JUDGMENTS = 400_000
MOST_TRIALS = 2000
SEED = 2022


def predicted(
    campaign: Campaign, rehearsed: Rehearsed, truth: QrelSet, settings: SimulationSettings
) -> dict[str, Any]:
    """JSON-ready: what the copy's work says about the campaign's.

    Its tasks cost the same, so that what was submitted for each that counts says what repeats cost. Of exclusions it
    tells simulated people's: careless ones, and honest ones who slipped.
    """
    copy = rehearsed.copy
    tasks = campaign.tasks.count()
    work = Submission.objects.filter(campaign=copy, state=Submission.State.SUBMITTED)
    submitted, workers = work.count(), work.values("worker").distinct().count()
    excluded = Exclusion.objects.standing().filter(campaign=copy).count()
    cost = quote_tasks(campaign, submitted)
    return {
        "copy": copy.name,
        "workers": settings.workers,
        "careless": settings.careless,
        "error": settings.error,
        "gold_error": settings.gold_error,
        "truth": truth.name,
        "tasks": tasks,
        "submitted": submitted,
        "cost": float(cost.total),
        "without_repeats": float(quote_tasks(campaign, tasks).total),
        "worked": workers,
        "excluded": excluded,
        "gold_failed": rehearsed.status["gold_failed"][:10],
        "judgments": rehearsed.done.judgments,
        **_found(copy, truth),
        **_odds(campaign, settings.error),
    }


def _odds(campaign: Campaign, error: float) -> dict[str, Any]:
    """The chance, over queries with something to judge, that the truly best passage is found at this error rate."""
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


def _found(copy: Campaign, truth: QrelSet) -> dict[str, Any]:
    """For how many of the copy's queries a best answer has the highest grade of its pool, where there is a grade."""
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
