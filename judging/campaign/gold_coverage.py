"""Find tasks that no worker could take, because too few gold pairs are suitable for them."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from judging.models import Campaign, Task, TaskPair
from judging.rules.gold_draw import Gold, Memory, Shown, gold_that_fits

#: The maximum number of tasks to examine. A campaign with more tasks is assumed to have enough different questions.
MOST_TASKS = 5000


@dataclass(frozen=True)
class LackingTask:
    """A task with too few suitable gold pairs: its real pairs, and the gold pairs that fit."""

    shown: tuple[Shown, ...]
    fitting: tuple[Shown, ...]


def tasks_as_shown(tasks: QuerySet[Task]) -> list[list[Shown]]:
    """Return a list of real pairs for each of these tasks, in the order of the task numbers."""
    rows = TaskPair.objects.filter(task__in=tasks.values("pk")).order_by("task__number", "pk")
    names = ("task_id", "pair__query_id", "pair__passage_a_id", "pair__passage_b_id")
    found: dict[int, list[Shown]] = defaultdict(list)
    for task, *pair in rows.values_list(*names):
        found[task].append(Shown(*pair))
    return list(found.values())


def gold_in(campaign: Campaign, states: Collection[str]) -> list[Gold]:
    """Return the campaign's gold pairs in these states, in the order in which they were added."""
    rows = campaign.gold_pairs.filter(state__in=states).order_by("pk")
    return [Gold(*row) for row in rows.values_list("pk", "query_id", "relevant_id", "off_topic_id")]


def lacking_tasks(
    campaign: Campaign, tasks: Iterable[Sequence[Shown]], gold: Sequence[Gold]
) -> list[LackingTask]:
    """Return the tasks for which too few of these gold pairs are suitable, even for a worker who has seen nothing."""
    lacking = []
    for task in tasks:
        fitting = gold_that_fits(gold, Memory(), task, campaign.gold_per_task, single=campaign.grades > 0)
        if len(fitting) < campaign.gold_per_task:
            lacking.append(LackingTask(tuple(task), tuple(one.shown for one in fitting)))
    return lacking


def suits(campaign: Campaign, task: LackingTask, one: Gold) -> bool:
    """Return whether the task could show this gold pair in addition to the gold pairs that already fit it."""
    shown = [*task.shown, *task.fitting]
    return bool(gold_that_fits([one], Memory(), shown, 1, single=campaign.grades > 0))
