"""Draw a task's gold pairs for a worker.

A worker's memory must not reveal gold pairs. So a gold pair never shows a passage that the worker has seen under
another question and, unless tasks show single passages, never repeats a question of the task. Gold pairs are also as
familiar to the worker as the real pairs. For each gold pair to draw, a real pair of the task is picked at random.
Then the gold pair is drawn whose question and passages the worker has seen about as often.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Shown(NamedTuple):
    """The keys of a question and of the two passages shown under it, in a pair or a gold pair."""

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
    """The history of what a worker was shown.

    ``questions`` and ``passages`` count how often each was shown. ``under`` maps each passage to the questions under
    which it was shown.
    """

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
        """Return whether one of these two passages was shown under a question other than ``query``."""
        under = self.under
        return (one in under and under[one] != {query}) or (other in under and under[other] != {query})

    def familiar(self, shown: Sequence[tuple[int, int, int]]) -> NDArray[np.float64]:
        """Return a row for each pair that describes how often the worker saw its question and passages.

        The first three values are the log counts of the question, the less known passage and the better known
        passage. The other three say whether each of them was seen.
        """
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
    """Draw ``count`` gold pairs for a task whose real pairs are ``task``; fewer if too few fit.

    ``memory`` is the worker's history. With ``single``, tasks show single passages, so a gold pair shows only one of
    its passages. A task can then ask a question again, but a worker never sees a passage twice.
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
    """Return whether at least ``count`` gold pairs together fit a task. The arguments are those of :func:`draw`."""
    return len(gold_that_fits(gold, memory, task, count, single=single)) >= count


def gold_that_fits(
    gold: Iterable[Gold], memory: Memory, task: Iterable[Shown], count: int, *, single: bool = False
) -> list[Gold]:
    """Return up to ``count`` gold pairs that together fit a task, in input order. Arguments as in :func:`draw`."""
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
    """Return whether neither passage of the gold pair was shown before."""
    return one.relevant_id not in here.passages and one.off_topic_id not in here.passages


def _fits_task(one: Gold, here: Memory) -> bool:
    """Return whether the task neither asks the gold pair's question nor shows its passages under another question."""
    return one.query_id not in here.questions and not here.elsewhere(*one[1:])
