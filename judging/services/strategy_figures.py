"""How trivial strategies would do on a campaign's gold pairs, from its pairs, texts and labels."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from hashlib import sha256

from config import kept_objects
from judging.gold_drawing import Shown
from judging.models import Campaign, GoldPair, Task, TaskPair
from judging.strategies import Known, Outcomes, Setting, try_strategies
from pooling.models import Passage, Qrel, QrelSet, Query

#: So many of the campaign's tasks are looked at, evenly drawn; more would say the same.
SAMPLE = 60
#: What was tried on the same gold, tasks, texts and labels is kept for so long.
KEEP_SECONDS = 86400
STEP = 500


def outcomes_of(campaign: Campaign) -> Outcomes:
    """Try every strategy on the accepted gold pairs; a rehearsal has the figures of its campaign.

    Changes nothing. The figures are kept for as long as nothing that they depend on changes.
    """
    of = campaign.rehearsal_of or campaign
    setting, seed = setting_of(of), abs(of.seed)
    key = kept_objects.key_of("strategies", sha256(repr(setting).encode()).hexdigest(), seed)
    known: Outcomes | None = kept_objects.read(key)
    if known is None:
        known = try_strategies(setting, seed=seed)
        kept_objects.keep(key, known, KEEP_SECONDS)
    return known


def setting_of(campaign: Campaign, labels: QrelSet | None = None) -> Setting:
    """What the strategies are tried on: all accepted gold, and a sample of the tasks.

    ``labels`` say which passage of a real pair is better; default: those of the campaign's pool.
    """
    accepted = campaign.gold_pairs.filter(state=GoldPair.State.ACCEPTED).order_by("pk")
    gold = [Known(*row) for row in accepted.values_list("query_id", "relevant_id", "off_topic_id")]
    tasks = _tasks(campaign)
    if labels is None and campaign.pool is not None:
        labels = campaign.pool.qrel_set
    asked = [pair for task in tasks for pair in task]
    queries = {pair.query for pair in gold} | {pair.query_id for pair in asked}
    shown = {key for pair in gold for key in (pair.better, pair.worse)}
    shown |= {key for pair in asked for key in (pair.one_id, pair.other_id)}
    return Setting(
        gold=gold,
        labeled=_labeled(labels, asked),
        tasks=tasks,
        questions={
            pk: text
            for part in _parts(queries)
            for pk, text in Query.objects.filter(pk__in=part).values_list("pk", "text")
        },
        passages={
            pk: text or ""
            for part in _parts(shown)
            for pk, text in Passage.objects.filter(pk__in=part).values_list("pk", "text")
        },
        gold_per_task=campaign.gold_per_task,
        most_tasks=campaign.max_tasks_per_worker,
    )


def _tasks(campaign: Campaign) -> list[list[Shown]]:
    keys = list(Task.objects.filter(campaign=campaign).order_by("number").values_list("pk", flat=True))
    keys = keys[:: max(1, math.ceil(len(keys) / SAMPLE))]
    tasks: dict[int, list[Shown]] = defaultdict(list)
    rows = TaskPair.objects.filter(task__in=keys).order_by("task__number", "pk")
    pair = ("pair__query_id", "pair__passage_a_id", "pair__passage_b_id")
    for task, *keys_of_pair in rows.values_list("task_id", *pair):
        tasks[task].append(Shown(*keys_of_pair))
    return list(tasks.values())


def _labeled(labels: QrelSet | None, asked: list[Shown]) -> list[Known]:
    """The pairs of which both passages have a label, and not the same one."""
    if labels is None:
        return []
    grades: dict[tuple[int, int], int] = {}
    for part in _parts({pair.query_id for pair in asked}):
        rows = Qrel.objects.filter(qrel_set=labels, query__in=part)
        for query, passage, grade in rows.values_list("query_id", "passage_id", "grade"):
            grades[query, passage] = grade
    known = []
    for pair in dict.fromkeys(asked):
        one, other = grades.get((pair.query_id, pair.one_id)), grades.get((pair.query_id, pair.other_id))
        if one is not None and other is not None and one != other:
            better, worse = (pair.one_id, pair.other_id) if one > other else (pair.other_id, pair.one_id)
            known.append(Known(pair.query_id, better, worse))
    return known


def _parts(keys: Iterable[int]) -> list[list[int]]:
    ordered = sorted(keys)
    return [ordered[start : start + STEP] for start in range(0, len(ordered), STEP)]
