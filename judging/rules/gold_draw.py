"""Draw a task's gold pairs for a worker.

A worker's memory must not reveal gold pairs. So a gold pair never repeats a question of the task, and never shows a
passage under a second question. Gold pairs are also as familiar as the rest of the task: for each gold pair, a real
pair of the task is drawn at random, and a gold pair is chosen whose question and passages the worker has seen about
as often.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Shown(NamedTuple):
    """A question with the two passages under it: a pair or a gold pair, by keys."""

    query_id: int
    one_id: int
    other_id: int


class Gold(NamedTuple):
    """The keys of a gold pair, of its question and of its passages."""

    pk: int
    query_id: int
    relevant_id: int
    off_topic_id: int

    @property
    def shown(self) -> Shown:
        return Shown(self.query_id, self.relevant_id, self.off_topic_id)


@dataclass
class Memory:
    """A worker's history: how often each question and passage was shown, and each passage's questions."""

    questions: Counter[int] = field(default_factory=Counter)
    passages: Counter[int] = field(default_factory=Counter)
    under: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))

    def keep(self, shown: Iterable[Shown]) -> None:
        """Add shown pairs to the history."""
        for query, *sides in shown:
            self.questions[query] += 1
            for passage in sides:
                self.passages[passage] += 1
                self.under[passage].add(query)

    def elsewhere(self, query: int, one: int, other: int) -> bool:
        """Check whether either passage was shown under another question."""
        under = self.under
        return (one in under and under[one] != {query}) or (other in under and under[other] != {query})

    def familiar(self, shown: Sequence[tuple[int, int, int]]) -> NDArray[np.float64]:
        """Count how often the worker saw each question and its less and better known passage; one row each."""
        questions, passages = self.questions.get, self.passages.get
        known = [(questions(query, 0), passages(one, 0), passages(other, 0)) for query, one, other in shown]
        counts = np.array(known, dtype=float).reshape(-1, 3)
        counts[:, 1:].sort(axis=1)
        return np.hstack([np.log1p(counts), counts > 0])


def draw(
    gold: Sequence[Gold],
    memory: Memory,
    task: Sequence[Shown],
    count: int,
    rng: np.random.Generator,
    *,
    single: bool = False,
) -> list[Gold]:
    """Draw ``count`` gold pairs for a task with these real pairs; fewer if no more of them fit.

    ``single``: tasks show single passages, so a gold pair shows only one of its passages. A task can then ask a
    question again, and a worker never sees a passage twice.
    """
    here = Memory()
    here.keep(task)
    fits = _fits_alone if single else _fits_task
    fitting = [one for one in gold if fits(one, here) and _is_new(one, memory, single)]
    patterns = memory.familiar(task or [(0, 0, 0)])
    away = ((memory.familiar([one[1:] for one in fitting])[:, None] - patterns) ** 2).sum(axis=2)
    left, drawn = np.arange(len(fitting)), list[Gold]()
    while len(drawn) < count and len(left):
        pattern = int(rng.integers(len(patterns)))
        chosen = fitting[left[int(np.argmin(away[left, pattern] + rng.random(len(left)) * 1e-6))]]
        drawn.append(chosen)
        here = Memory()
        here.keep([chosen.shown])
        left = np.array([index for index in left.tolist() if fits(fitting[index], here)], dtype=int)
    return drawn


def enough_fit(
    gold: Iterable[Gold], memory: Memory, task: Iterable[Shown], count: int, *, single: bool = False
) -> bool:
    """Check that ``count`` gold pairs fit a task with these real pairs; ``single`` as in :func:`draw`."""
    return len(gold_that_fits(gold, memory, task, count, single=single)) >= count


def gold_that_fits(
    gold: Iterable[Gold], memory: Memory, task: Iterable[Shown], count: int, *, single: bool = False
) -> list[Gold]:
    """Return the first gold pairs, at most ``count``, that together fit a task with these real pairs."""
    fits = _fits_alone if single else _fits_task
    here = Memory()
    here.keep(task)
    fitting: list[Gold] = []
    for one in gold:
        if len(fitting) >= count:
            break
        if fits(one, here) and _is_new(one, memory, single):
            here.keep([one.shown])
            fitting.append(one)
    return fitting


def _is_new(one: Gold, memory: Memory, single: bool) -> bool:
    return _fits_alone(one, memory) if single else not memory.elsewhere(*one[1:])


def _fits_alone(one: Gold, here: Memory) -> bool:
    """Check that neither passage was shown."""
    return one.relevant_id not in here.passages and one.off_topic_id not in here.passages


def _fits_task(one: Gold, here: Memory) -> bool:
    """Check that the task neither asks the gold pair's question nor shows its passages under another one."""
    return one.query_id not in here.questions and not here.elsewhere(*one[1:])
