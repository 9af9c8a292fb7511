"""Pure: which gold pairs a worker is shown in a task.

What a worker remembers must not tell gold pairs from others. So a task never asks a question twice because of a gold
pair, no gold pair brings a passage under a second question, and gold is as familiar as the rest of the task: for each
gold pair a real pair of the task is drawn, and of the gold that fits the one is taken whose question and passages the
worker met about as often.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

#: What each gold pair in which a new passage can come again counts against likeness to the real pair; how many count.
COMES_AGAIN, MOST_AGAIN = 0.1, 3


class Shown(NamedTuple):
    """A question with the two passages under it: a pair or a gold pair, by keys."""

    query_id: int
    one_id: int
    other_id: int


class Gold(NamedTuple):
    """A gold pair's key, and those of its question and passages."""

    pk: int
    query_id: int
    relevant_id: int
    off_topic_id: int

    @property
    def shown(self) -> Shown:
        return Shown(self.query_id, self.relevant_id, self.off_topic_id)


@dataclass
class Memory:
    """What a worker was shown: how often each question and passage, and the questions that a passage stood under."""

    questions: Counter[int] = field(default_factory=Counter)
    passages: Counter[int] = field(default_factory=Counter)
    under: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))

    def keep(self, shown: Iterable[Shown]) -> None:
        """Remember these."""
        for query, *sides in shown:
            self.questions[query] += 1
            for passage in sides:
                self.passages[passage] += 1
                self.under[passage].add(query)

    def beside(self, task: Iterable[Shown]) -> Memory:
        """What a task must not contradict: the passages of before, and the questions that it asks itself."""
        known = Memory()
        for passage, queries in self.under.items():
            known.under[passage] |= queries
        known.keep(task)
        return known

    def elsewhere(self, shown: Shown) -> bool:
        """Whether one of the passages stood under another question."""
        return any(
            self.under.get(passage, set()) - {shown.query_id} for passage in (shown.one_id, shown.other_id)
        )

    def familiar(self, shown: Shown) -> tuple[float, ...]:
        """How well the worker knows the question, the less known passage and the better known one."""
        sides = sorted((self.passages[shown.one_id], self.passages[shown.other_id]))
        counts = (self.questions[shown.query_id], *sides)
        return (*np.log1p(counts).tolist(), *(float(count > 0) for count in counts))


def draw(
    gold: Sequence[Gold], memory: Memory, task: Sequence[Shown], count: int, rng: np.random.Generator
) -> list[Gold]:
    """Draw ``count`` of the gold pairs for a task with these real pairs; fewer when no more of them fit."""
    known = memory.beside(task)
    patterns = [memory.familiar(pair) for pair in task] or [(0.0,) * 6]
    familiar = np.array([memory.familiar(one.shown) for one in gold])
    again = _again(gold, memory)
    drawn: list[Gold] = []
    while len(drawn) < count:
        fitting = [index for index, one in enumerate(gold) if _fits(one, known)]
        if not fitting:
            break
        pattern = np.array(patterns[int(rng.integers(len(patterns)))])
        away = ((familiar[fitting] - pattern) ** 2).sum(axis=1) - COMES_AGAIN * again[fitting]
        chosen = gold[fitting[int(np.argmin(away + rng.random(len(fitting)) * 1e-6))]]
        drawn.append(chosen)
        known.keep([chosen.shown])
    return drawn


def _again(gold: Sequence[Gold], memory: Memory) -> NDArray[np.int64]:
    """Per gold pair: in how many others the passages can come again that the worker would meet first in it."""
    stands = Counter(passage for one in gold for passage in one.shown[1:])
    new = [[stands[key] - 1 for key in one.shown[1:] if not memory.passages[key]] for one in gold]
    return np.array([min(MOST_AGAIN, *others) if others else 0 for others in new])


def how_many_fit(gold: Iterable[Gold], memory: Memory, task: Iterable[Shown]) -> int:
    """How many gold pairs a task with these real pairs can have: as many as they bring new questions."""
    known = memory.beside(task)
    fitting = 0
    for one in gold:
        if _fits(one, known):
            known.keep([one.shown])
            fitting += 1
    return fitting


def _fits(one: Gold, known: Memory) -> bool:
    """Whether the task does not ask its question, and its passages stood under no other one."""
    return not known.questions[one.query_id] and not known.elsewhere(one.shown)


def fewest_tasks(
    gold: Sequence[Gold],
    tasks: Mapping[int, Sequence[Shown]],
    *,
    per_task: int,
    most: int,
    rng: np.random.Generator,
    workers: int = 10,
) -> int:
    """How many tasks each of some simulated workers can be given at least, up to ``most`` and to all there are.

    They do tasks in random order; a task that no gold fits is passed over.
    """
    keys = list(tasks)
    fewest = min(most, len(keys))
    for _ in range(workers):
        memory, left, done = Memory(), list(gold), 0
        for index in rng.permutation(len(keys)).tolist():
            if done == fewest:
                break
            task = tasks[keys[index]]
            drawn = draw(left, memory, task, per_task, rng)
            if len(drawn) == per_task:
                used = {one.pk for one in drawn}
                left = [one for one in left if one.pk not in used]
                memory.keep([*task, *(one.shown for one in drawn)])
                done += 1
        fewest = min(fewest, done)
    return fewest
