"""Pure: how far somebody gets who does not read, by rules that a script can follow.

A strategy chooses one side of a pair, or leaves it to chance. Its chance of choosing the known better side is 1, 0,
or ½ where it cannot tell. A task is passed when every gold pair in it is answered right, as every screening rule asks
before the task's judgments count.

- By text: the gold pairs of *n* tasks are *k* draws without replacement from the *N* accepted ones, of which the
  strategy answers *r* right and *h* by chance. All of them are right with chance
  Σ_j C(r, k − j) C(h, j) 2^−j / C(N, k).
- By side: from the layouts that tasks are given.
- By memory of what the worker was shown: from simulated workers with a fixed seed, who do tasks of this campaign in
  random order, with gold drawn as it is for people.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from judging.gold_drawing import Gold, Memory, Shown, draw
from judging.layout import lay_out
from judging.pair_features import QuestionText, content_words, length, read_question, word_weights

#: Pass rates are told for so many tasks in a row.
TASKS = (1, 5, 20)
#: The least agreement with the labels at which a strategy reads well enough to be paid.
GOOD_AGREEMENT = 0.60
#: A strategy that agrees less may pass one task, and five, with these chances at most.
MOST_OF_ONE, MOST_OF_FIVE = 0.20, 0.01
LAYOUTS = 400
#: Simulated workers, and the tasks that all of them do together at most.
WORKERS, SIMULATED_TASKS = 100, 400

Chooser = Callable[[int, int, int], float]


class Known(NamedTuple):
    """A pair whose better passage is known, by keys."""

    query: int
    better: int
    worse: int


@dataclass(frozen=True)
class Setting:
    """What strategies are tried on.

    ``gold``: accepted gold pairs. ``labeled``: real pairs whose labels differ. ``tasks``: the real pairs of each
    task. ``questions`` and ``passages`` are texts by key; one without a text counts as empty.
    """

    gold: Sequence[Known]
    labeled: Sequence[Known]
    tasks: Sequence[Sequence[Shown]]
    questions: Mapping[int, str]
    passages: Mapping[int, str]
    gold_per_task: int
    most_tasks: int


@dataclass(frozen=True)
class Outcome:
    """How a strategy does.

    ``right``: the share of gold it answers right. ``passes[i]``: the chance to pass ``Outcomes.tasks[i]`` tasks in a
    row. ``agrees``: the share of real pairs on which it agrees with the labels; None when no labels differ.
    """

    name: str
    right: float
    passes: tuple[float, ...]
    agrees: float | None

    @property
    def judges_badly(self) -> bool:
        """Whether it agrees with the labels too rarely to be paid for, or nobody knows."""
        return self.agrees is None or self.agrees < GOOD_AGREEMENT


@dataclass(frozen=True)
class Outcomes:
    """Every strategy, the one that passes a task most easily first; and the numbers of tasks that were tried."""

    tasks: tuple[int, ...]
    gold: int
    labeled: int
    rows: tuple[Outcome, ...]

    def above(self, share: float) -> list[Outcome]:
        """Those that pass one task with a larger chance than this."""
        return [row for row in self.rows if row.passes and row.passes[0] > share]

    def over_the_bar(self) -> list[Outcome]:
        """Those that agree with the labels too rarely for how easily they pass one task, or five."""
        most = {1: MOST_OF_ONE, 5: MOST_OF_FIVE}
        return [
            row
            for row in self.rows
            if row.judges_badly
            and any(
                chance > most[count]
                for count, chance in zip(self.tasks, row.passes, strict=True)
                if count in most
            )
        ]


def try_strategies(setting: Setting, *, seed: int = 0, workers: int = WORKERS) -> Outcomes:
    """Try every strategy. The same seed gives the same figures."""
    per_task = setting.gold_per_task
    most = min(setting.most_tasks, len(setting.gold) // per_task) if per_task else setting.most_tasks
    tasks = tuple(sorted({min(count, most) for count in TASKS if most}))
    found = [_by_text(name, chooser, setting, tasks) for name, chooser in choosers_by_text(setting).items()]
    found += _by_side(setting, tasks)
    found += _by_memory(setting, tasks, np.random.default_rng(seed), workers)
    ranked = sorted(found, key=lambda row: (row.passes, row.right), reverse=True)
    return Outcomes(tasks, len(setting.gold), len(setting.labeled), tuple(ranked))


def all_right(chances: Sequence[float], drawn: int) -> float:
    """The chance that ``drawn`` gold pairs, without replacement, are all answered right; chances are 0, ½ or 1."""
    counts = Counter(chances)
    ways = sum(
        math.comb(counts[1.0], drawn - guessed) * math.comb(counts[0.5], guessed) / 2**guessed
        for guessed in range(min(drawn, counts[0.5]) + 1)
    )
    return ways / math.comb(len(chances), drawn) if drawn <= len(chances) else 0.0


# By text.


def choosers_by_text(setting: Setting) -> dict[str, Chooser]:
    """Strategy → a function that gives the chance of choosing the first of two passages of a query."""
    words = {key: content_words(text) for key, text in setting.passages.items()}
    weights = word_weights(words.values())
    questions = {key: read_question(text, weights) for key, text in setting.questions.items()}
    lengths = {key: length(text) for key, text in setting.passages.items()}
    nothing, unasked = frozenset[str](), read_question("", {})

    def shared(query: int, passage: int) -> float:
        return float(len(questions.get(query, unasked).words & words.get(passage, nothing)))

    def rare(query: int, passage: int) -> float:
        return _weight(questions.get(query, unasked), words.get(passage, nothing))

    def similar(query: int, passage: int) -> float:
        own = words.get(passage, nothing)
        norm = math.sqrt(sum(weights.get(word, 0.0) ** 2 for word in own))
        asked = questions.get(query, unasked).weights
        return sum(asked[word] ** 2 for word in own if word in asked) / norm if norm else 0.0

    scores: dict[str, Callable[[int, int], float]] = {
        "overlap": shared,
        "rare words": rare,
        "similarity": similar,
        "fewest question words": lambda query, passage: -shared(query, passage),
        "fewest rare words": lambda query, passage: -rare(query, passage),
        "least similar": lambda query, passage: -similar(query, passage),
        "longer": lambda _, passage: lengths.get(passage, 0),
        "shorter": lambda _, passage: -lengths.get(passage, 0),
    }
    return {name: _higher(score) for name, score in scores.items()}


def _weight(question: QuestionText, passage: frozenset[str]) -> float:
    return math.fsum(weight for word, weight in sorted(question.weights.items()) if word in passage)


def _higher(score: Callable[[int, int], float]) -> Chooser:
    def chance(query: int, one: int, other: int) -> float:
        return _chance(score(query, one), score(query, other))

    return chance


def _chance(one: float, other: float) -> float:
    if math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12):
        return 0.5
    return 1.0 if one > other else 0.0


def _by_text(name: str, chooser: Chooser, setting: Setting, tasks: Sequence[int]) -> Outcome:
    right = [chooser(pair.query, pair.better, pair.worse) for pair in setting.gold]
    agrees = [chooser(pair.query, pair.better, pair.worse) for pair in setting.labeled]
    passes = tuple(all_right(right, count * setting.gold_per_task) for count in tasks)
    return Outcome(name, _mean(right) or 0.0, passes, _mean(agrees))


# By side.

#: Always the left, which comes first on a phone; left and right in turn; at random.
BY_SIDE = ("left", "alternating", "random")


def _by_side(setting: Setting, tasks: Sequence[int]) -> list[Outcome]:
    pairs = max((len(task) for task in setting.tasks), default=0)
    agrees = 0.5 if setting.labeled else None
    left, turns = _side_chances(pairs, setting.gold_per_task)
    guessed: float = 0.5**setting.gold_per_task
    return [
        Outcome(name, 0.5, tuple(chance**count for count in tasks), agrees)
        for name, chance in zip(BY_SIDE, (left, turns, guessed), strict=True)
    ]


@lru_cache(maxsize=64)
def _side_chances(pairs: int, gold: int) -> tuple[float, float]:
    """The share of layouts in which choosing the left, or left and right in turn, answers all gold right.

    Every layout is as likely as the one with all sides swapped, so that each counts for both.
    """
    left = turns = 0
    for seed in range(LAYOUTS):
        seats = lay_out([0] * pairs, gold, np.random.default_rng(seed))
        at = [(place, seat.swapped) for place, seat in enumerate(seats) if seat.is_gold]
        for mirrored in (False, True):
            left += all(swapped == mirrored for _, swapped in at)
            turns += all(swapped == (bool(place % 2) != mirrored) for place, swapped in at)
    return left / (2 * LAYOUTS), turns / (2 * LAYOUTS)


# By memory.

#: Choose the passage that the worker met more often; less often; never under another question.
BY_MEMORY = ("seen before", "not seen before", "not seen elsewhere")


class Given(NamedTuple):
    """A task of a simulated worker: its number from 1, what was shown before, its real pairs and its gold."""

    number: int
    memory: Memory
    real: Sequence[Shown]
    gold: Sequence[Gold]


def tasks_of_one(setting: Setting, most: int, rng: np.random.Generator) -> Iterator[Given]:
    """Up to ``most`` tasks in random order, with gold as it is drawn for people.

    A task that no gold fits is left out.
    """
    memory = Memory()
    left = [Gold(pk, *key) for pk, key in enumerate(setting.gold)]
    number = 0
    for index in rng.permutation(len(setting.tasks)).tolist():
        real = setting.tasks[index]
        drawn = draw(left, memory, real, setting.gold_per_task, rng)
        if len(drawn) < setting.gold_per_task:
            continue
        number += 1
        yield Given(number, memory, real, drawn)
        if number == most:
            return
        used = {one.pk for one in drawn}
        left = [one for one in left if one.pk not in used]
        memory.keep([*real, *(one.shown for one in drawn)])


def _by_memory(
    setting: Setting, tasks: Sequence[int], rng: np.random.Generator, workers: int
) -> list[Outcome]:
    """A worker who cannot be given so many tasks does not pass them."""
    last = max(tasks, default=0)
    right: list[list[float]] = [[] for _ in BY_MEMORY]
    agreed: list[list[float]] = [[] for _ in BY_MEMORY]
    passed = np.zeros((len(BY_MEMORY), len(tasks)))
    better = {tuple(pair) for pair in setting.labeled}
    count = max(1, min(workers, SIMULATED_TASKS * workers // WORKERS // max(1, last)))
    for _ in range(count if last else 0):
        still = np.ones((last + 1, len(BY_MEMORY)))
        number = 0
        for given in tasks_of_one(setting, last, rng):
            number = given.number
            for one in given.gold:
                chances = _remembered(given.memory, *one.shown)
                still[given.number :] *= chances
                _add(right, chances)
            for query, one_id, other_id in given.real:
                for sides in ((one_id, other_id), (other_id, one_id)):
                    if (query, *sides) in better:
                        _add(agreed, _remembered(given.memory, query, *sides))
        still[number + 1 :] = 0
        passed += still[list(tasks)].T
    shares = passed / count
    return [
        Outcome(name, _mean(right[at]) or 0.0, tuple(shares[at].tolist()), _mean(agreed[at]))
        for at, name in enumerate(BY_MEMORY)
    ]


def _remembered(memory: Memory, query: int, one: int, other: int) -> list[float]:
    """The chance to choose ``one``, for each of ``BY_MEMORY``."""
    familiar = _chance(memory.passages[one], memory.passages[other])
    elsewhere = [bool(memory.under.get(side, set()) - {query}) for side in (one, other)]
    return [familiar, 1.0 - familiar, _chance(elsewhere[1], elsewhere[0])]


def _add(lists: list[list[float]], values: Sequence[float]) -> None:
    for one, value in zip(lists, values, strict=True):
        one.append(value)


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None
