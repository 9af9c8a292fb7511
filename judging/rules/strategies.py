"""Test how well scripts that do not read can pass gold pairs, by various strategies.

A strategy chooses a side of a pair. It chooses the better side with probability 1 or 0, or ½ if it leaves the choice
to chance. A task is passed if every gold pair in it is answered right, as every screening rule requires for the
task's judgments to count. The probability of passing is calculated in three ways:

- For strategies by text (:mod:`judging.rules.text_strategies`), the *k* gold pairs of *n* tasks are
  drawn without replacement from the *N* accepted ones. The strategy answers *r* of these right and *h*
  by chance. The probability that all *k* are right is Σ_j C(r, k − j) C(h, j) 2^−j / C(N, k).
- For strategies by side, it is the share of random task layouts in which they pass.
- For strategies by memory of earlier pairs, simulated workers with a fixed seed do tasks of this
  campaign in random order. Gold pairs are drawn as they are for people.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from judging.rules.gold_choice import Texts, Triple
from judging.rules.gold_detection import Detectability, try_to_tell
from judging.rules.gold_draw import Gold, Memory, Shown, draw
from judging.rules.layout import lay_out
from judging.rules.pair_features import question_features, read_passage, word_weights
from judging.rules.text_strategies import Chooser, choosers_by_looks, choosers_by_text, higher

#: The numbers of consecutive tasks for which the probability of passing is reported.
TASKS = (1, 5, 20)
#: The share of agreement with the labels from which a strategy judges well enough to deserve pay.
GOOD_AGREEMENT = 0.60
#: The acceptable probabilities of passing one task, and five, for a strategy that agrees less with the labels.
MOST_OF_ONE, MOST_OF_FIVE = 0.20, 0.01
#: The number of standard errors by which a strategy by looks must beat guessing on gold pairs to be reported. With
#: this many strategies, some do well by chance.
BEYOND_CHANCE = 2.5
LAYOUTS = 400
#: The maximum number of simulated workers, and the maximum number of tasks that they all do together.
WORKERS, SIMULATED_TASKS = 100, 400

Floats = NDArray[np.float64]


class Known(NamedTuple):
    """A pair whose better passage is known, as the keys of its query, its better and its worse passage."""

    query: int
    better: int
    worse: int


@dataclass(frozen=True)
class Setting:
    """The data on which strategies are tested.

    ``gold`` are the accepted gold pairs, ``labeled`` the real pairs whose passages have different labels, and
    ``tasks`` the real pairs of each task. ``questions`` and ``passages`` map keys to texts; a missing text counts as
    empty. ``most_tasks`` is the maximum number of tasks of one worker.
    """

    gold: Sequence[Known]
    labeled: Sequence[Known]
    tasks: Sequence[Sequence[Shown]]
    questions: Mapping[int, str]
    passages: Mapping[int, str]
    gold_per_task: int
    most_tasks: int
    compared: Sequence[Shown] = ()
    """Real pairs to compare gold pairs with, if tasks show single passages."""

    @cached_property
    def texts(self) -> Texts:
        """The data that features need of the questions and passages."""
        read = {key: read_passage(text) for key, text in self.passages.items() if text}
        weights = word_weights(one.words for one in read.values())
        return Texts(
            {key: question_features(text, weights) for key, text in self.questions.items()}, read, weights
        )


@dataclass(frozen=True)
class Outcome:
    """The results of one strategy.

    ``right`` is the share of gold pairs that it answers right. ``passes[i]`` is the probability of passing
    ``Outcomes.tasks[i]`` tasks in a row. ``agrees`` is the share of labeled real pairs on which it agrees with the
    labels; None if there are none.
    """

    name: str
    right: float
    passes: tuple[float, ...]
    agrees: float | None

    @property
    def judges_badly(self) -> bool:
        """Whether the strategy agrees with the labels too rarely to deserve pay; True if its agreement is unknown."""
        return self.agrees is None or self.agrees < GOOD_AGREEMENT


@dataclass(frozen=True)
class Outcomes:
    """The results of all strategies (``rows``), highest probability of passing first.

    Strategies by looks are left out unless they do better than chance (``BEYOND_CHANCE``). ``tasks`` are the numbers
    of tasks for which passing was tried. ``gold`` and ``labeled`` are numbers of pairs.

    ``fewest`` is the smallest number of tasks that a simulated worker got before gold pairs ran out; ``wanted`` is
    the maximum. ``page`` tells how well a classifier recognizes gold pairs by what a page shows; None without enough
    texts.
    """

    tasks: tuple[int, ...]
    gold: int
    labeled: int
    rows: tuple[Outcome, ...]
    fewest: int
    wanted: int
    page: Detectability | None = None

    def above(self, share: float) -> list[Outcome]:
        """Return the results of strategies whose probability of passing one task is above ``share``."""
        return [row for row in self.rows if row.passes and row.passes[0] > share]

    def over_the_bar(self) -> list[Outcome]:
        """Return the results of strategies that judge badly but pass too often.

        The limits apply to the probabilities of passing one task, and five tasks in a row.
        """
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
    """Test every strategy, with up to ``workers`` simulated workers. The same seed gives the same results."""
    per_task = setting.gold_per_task
    most = min(setting.most_tasks, len(setting.gold) // per_task) if per_task else setting.most_tasks
    tasks = tuple(sorted({min(count, most) for count in TASKS if most}))
    found = [
        _try_chooser(name, chooser, setting, tasks)
        for name, chooser in choosers_by_text(setting.texts).items()
    ]
    found += [row for row in by_looks(setting, tasks) if _is_beyond_chance(row, len(setting.gold))]
    found += _try_sides(setting, tasks)
    by_memory, fewest = _try_memory(setting, tasks, np.random.default_rng(seed), workers)
    ranked = sorted([*found, *by_memory], key=lambda row: (row.passes, row.right), reverse=True)
    wanted = min(setting.most_tasks, len(setting.tasks))
    page = page_detectability(setting)
    return Outcomes(tasks, len(setting.gold), len(setting.labeled), tuple(ranked), fewest, wanted, page)


def page_detectability(setting: Setting) -> Detectability | None:
    """Measure how well a classifier tells gold pairs from the real pairs of tasks by what a page shows."""
    real = sorted(setting.compared or {pair for task in setting.tasks for pair in task})
    return try_to_tell(real, [Triple(*pair) for pair in setting.gold], setting.texts)


def all_right(chances: Sequence[float], drawn: int) -> float:
    """Return the probability that ``drawn`` gold pairs, drawn without replacement, are all answered right.

    ``chances`` has the probability of a right answer for each gold pair to draw from: 0, ½ or 1.
    """
    counts = Counter(chances)
    ways = sum(
        math.comb(counts[1.0], drawn - guessed) * math.comb(counts[0.5], guessed) / 2**guessed
        for guessed in range(min(drawn, counts[0.5]) + 1)
    )
    return ways / math.comb(len(chances), drawn) if drawn <= len(chances) else 0.0


# By text.


def by_looks(setting: Setting, tasks: Sequence[int]) -> list[Outcome]:
    """Return the results of all strategies by looks, whether or not they do better than chance."""
    choosers = choosers_by_looks(setting.texts)
    return [_try_chooser(name, chooser, setting, tasks) for name, chooser in choosers.items()]


def _is_beyond_chance(row: Outcome, gold: int) -> bool:
    return gold > 0 and row.right > 0.5 + BEYOND_CHANCE * 0.5 / math.sqrt(gold)


def _try_chooser(name: str, chooser: Chooser, setting: Setting, tasks: Sequence[int]) -> Outcome:
    right = [chooser(pair.query, pair.better, pair.worse) for pair in setting.gold]
    agrees = [chooser(pair.query, pair.better, pair.worse) for pair in setting.labeled]
    passes = tuple(all_right(right, count * setting.gold_per_task) for count in tasks)
    return Outcome(name, _mean_or_none(right) or 0.0, passes, _mean_or_none(agrees))


# By side.

#: Strategies by side: always left (which comes first on a phone), alternating between left and right, and random.
BY_SIDE = ("left", "alternating", "random")
#: Strategies if single passages are graded: always the same grade, alternating between high and low, and random.
BY_GRADE = ("one grade", "alternating", "random")


def _try_sides(setting: Setting, tasks: Sequence[int]) -> list[Outcome]:
    pairs = max((len(task) for task in setting.tasks), default=0)
    agrees = 0.5 if setting.labeled else None
    names = BY_GRADE if setting.compared else BY_SIDE
    left, turns = _side_chances(pairs, setting.gold_per_task)
    guessed: float = 0.5**setting.gold_per_task
    return [
        Outcome(name, 0.5, tuple(chance**count for count in tasks), agrees)
        for name, chance in zip(names, (left, turns, guessed), strict=True)
    ]


@lru_cache(maxsize=64)
def _side_chances(pairs: int, gold: int) -> tuple[float, float]:
    """Return the probabilities that always choosing left, and alternating, answers all gold pairs of a task right.

    The probabilities are shares of randomly drawn layouts. ``pairs`` and ``gold`` are the task's numbers of real and
    gold pairs. A layout is as likely as its mirror image, so each layout drawn is counted both ways.
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

#: Strategies by memory: choose the passage seen more often, less often, or never under another question.
BY_MEMORY = ("seen before", "not seen before", "not seen elsewhere")


class GivenTask(NamedTuple):
    """A task of a simulated worker: its number from 1, the worker's history before it, its real and gold pairs."""

    number: int
    memory: Memory
    real: Sequence[Shown]
    gold: Sequence[Gold]


def tasks_of_one(setting: Setting, most: int, rng: np.random.Generator) -> Iterator[GivenTask]:
    """Yield up to ``most`` tasks for one simulated worker, in random order, with gold pairs drawn as for people.

    A task without enough fitting gold pairs is skipped. The yielded history changes with the next task.
    """
    memory = Memory()
    left = [Gold(pk, *key) for pk, key in enumerate(setting.gold)]
    number = 0
    for index in rng.permutation(len(setting.tasks)).tolist():
        real = setting.tasks[index]
        drawn = draw(left, memory, real, setting.gold_per_task, rng, single=bool(setting.compared))
        if len(drawn) < setting.gold_per_task:
            continue
        number += 1
        yield GivenTask(number, memory, real, drawn)
        if number == most:
            return
        used = {one.pk for one in drawn}
        left = [one for one in left if one.pk not in used]
        memory.keep([*real, *(one.shown for one in drawn)])


class WorkerChances(NamedTuple):
    """The probabilities that each of ``BY_MEMORY`` (the columns) is right, for one simulated worker.

    ``tasks`` has a row for each task, with the probability that all its gold pairs are answered right. ``gold`` has a
    row for each gold pair, and ``labeled`` for each labeled real pair.
    """

    tasks: Floats
    gold: Floats
    labeled: Floats


def _work_of_one(
    setting: Setting, most: int, better: Collection[Known], rng: np.random.Generator
) -> WorkerChances:
    tasks, gold, labeled = [], [], []
    for given in tasks_of_one(setting, most, rng):
        chances = _memory_table([_memory_chances(given.memory, *one.shown) for one in given.gold])
        tasks.append(chances.prod(axis=0))
        gold.append(chances)
        sides = [
            Known(*side)
            for query, one, other in given.real
            for side in ((query, one, other), (query, other, one))
        ]
        labeled += [_memory_chances(given.memory, *known) for known in sides if known in better]
    return WorkerChances(_memory_table(tasks), np.vstack([_memory_table([]), *gold]), _memory_table(labeled))


def _memory_table(rows: Sequence[Floats | list[float]]) -> Floats:
    return np.array(rows, dtype=float).reshape(-1, len(BY_MEMORY))


def _try_memory(
    setting: Setting, tasks: Sequence[int], rng: np.random.Generator, workers: int
) -> tuple[list[Outcome], int]:
    """Return the results of strategies by memory, and the smallest number of tasks that a simulated worker got.

    In a first task there is nothing to remember, so the probability for one task is the mean over later tasks. A
    worker who does not get enough tasks counts as not passing them.
    """
    most = min(setting.most_tasks, len(setting.tasks))
    count = max(1, min(workers, SIMULATED_TASKS * workers // WORKERS // max(1, most)))
    better = frozenset(setting.labeled)
    done = [_work_of_one(setting, most, better, rng) for _ in range(count)]
    right, agrees = (
        np.vstack(tables) for tables in ([one.gold for one in done], [one.labeled for one in done])
    )
    later = np.vstack([one.tasks[1:] for one in done])
    passes = [
        np.mean([one.tasks[:number].prod(axis=0) * (len(one.tasks) >= number) for one in done], axis=0)
        for number in tasks
    ]
    if len(later) and passes:
        passes[0] = later.mean(axis=0)
    rows = [
        Outcome(
            name,
            _mean_or_none(right[:, at]) or 0.0,
            tuple(float(shares[at]) for shares in passes),
            _mean_or_none(agrees[:, at]),
        )
        for at, name in enumerate(BY_MEMORY)
    ]
    return rows, min(len(one.tasks) for one in done)


def _memory_chances(memory: Memory, query: int, one: int, other: int) -> list[float]:
    """Return the probability of choosing passage ``one`` over ``other``, for each of ``BY_MEMORY``."""
    familiar = higher(memory.passages[one], memory.passages[other])
    elsewhere = [bool(memory.under.get(side, set()) - {query}) for side in (one, other)]
    return [familiar, 1.0 - familiar, higher(elsewhere[1], elsewhere[0])]


def _mean_or_none(values: Sequence[float] | Floats) -> float | None:
    return math.fsum(values) / len(values) if len(values) else None
