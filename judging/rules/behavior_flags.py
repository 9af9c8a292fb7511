"""Flags on unusual patterns in a worker's answers, for a person to review. A flag has no consequences by itself.

Flags on choices need a pattern that is unlikely by chance, so a few judgments do not raise them. ``UNLIKELY`` is
strict: among 500 good workers, chance alone raises each of these flags at most once in two campaigns on average.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

import scipy  # loads scipy.special on first use; loading it at the start would cost every command a third of a second

from config.plurals import many
from judging.rules.reading_speed import GLANCE_SECONDS
from judging.rules.screening import GOLD_PAIR

UNLIKELY = 0.001
#: A worker whose time for a pair is below this share of the usual time is flagged as quick.
QUICK = 1 / 3
#: The minimum number of tasks left, returned or ended early for a flag on that habit.
HABIT = 3
#: The minimum number of timed tasks for a flag on quick work.
LEAST_TASKS = 2


@dataclass(frozen=True)
class Flag:
    """A flag on a worker: its short name, and the words that state the evidence."""

    name: str
    words: str


@dataclass(frozen=True)
class Behavior:
    """The record of one worker. Fields are counts, except those in seconds, which are None if unknown, and
    ``gold_words``, the term for a gold pair.

    - ``decided``: judgments that prefer a side; ``left``: those of them that prefer the left one
    - ``compared``: comparisons with other workers' judgments; ``agreeing``: comparisons in which both
      agree
    - ``repeated``: repeated pairs; ``repeated_same``: repeated pairs that got the same answer both times
    - ``seconds_per_pair``: the time from opening the task
    - ``seconds_on_screen``: only the time in which the page reports to have shown pairs
    - ``tasks``: submitted tasks; ``stopped``: those of them that ended before the last gold pair
    - ``empty``: tasks left without a judged pair; ``sent_empty``: those of them that were submitted
    - ``begun``: tasks returned with some judged pairs
    """

    judgments: int = 0
    left: int = 0
    decided: int = 0
    compared: int = 0
    agreeing: float = 0.0
    gold_seen: int = 0
    gold_failed: int = 0
    tasks_timed: int = 0
    seconds_per_pair: float | None = None
    seconds_on_screen: float | None = None
    repeated: int = 0
    repeated_same: int = 0
    empty: int = 0
    sent_empty: int = 0
    begun: int = 0
    tasks: int = 0
    stopped: int = 0
    gold_words: str = GOLD_PAIR


@dataclass(frozen=True)
class Usual:
    """The values of a typical worker in the campaign, with which each worker is compared; None if unknown.

    ``agreement`` and ``consistency`` are shares. ``least_seconds_per_pair`` is the time that the fastest reader needs
    for half of a pair's words.
    """

    agreement: float | None
    seconds_per_pair: float | None
    consistency: float | None = None
    least_seconds_per_pair: float | None = None


def usual_among(workers: Iterable[Behavior], least_seconds: float) -> Usual:
    """Return the medians over these workers. Each worker's share is weighted by the number of comparisons behind it.

    A median is reliable as long as most of the work is honest, but one worker who chooses at random lowers a mean.
    """
    known = list(workers)
    times = [one.seconds_per_pair for one in known if one.seconds_per_pair is not None]
    agreement = _median_share([(one.agreeing, one.compared) for one in known])
    consistency = _median_share([(one.repeated_same, one.repeated) for one in known])
    return Usual(agreement, median(times) if times else None, consistency, least_seconds)


def _median_share(counts: Iterable[tuple[float, int]]) -> float | None:
    """Return the weighted median of the shares part / whole, with the wholes as weights; None if all wholes are 0."""
    shares = sorted((part / whole, whole) for part, whole in counts if whole)
    half, below = sum(whole for _, whole in shares) / 2, 0
    for share, whole in shares:
        below += whole
        if below >= half:
            return share
    return None


def flags_of(one: Behavior, usual: Usual) -> list[Flag]:
    """Return the flags that a worker's record raises, in a fixed order."""
    return [
        flag
        for flag in (
            _failed_gold(one),
            _sent_empty(one),
            _stops_early(one),
            _returns(one),
            _one_side(one),
            _disagrees(one, usual.agreement),
            _unread(one, usual.least_seconds_per_pair) or _quick(one, usual.seconds_per_pair),
            _inconsistent(one, usual.consistency),
        )
        if flag
    ]


def _failed_gold(one: Behavior) -> Flag | None:
    if not one.gold_failed:
        return None
    return Flag(f"{one.gold_words}s", f"failed {one.gold_failed:,} of {many(one.gold_seen, one.gold_words)}")


def _sent_empty(one: Behavior) -> Flag | None:
    """Flag a worker who submits one task, or leaves several, without judging a pair.

    Leaving one is normal.
    """
    if not one.sent_empty and one.empty < HABIT:
        return None
    return Flag("empty", f"agreed to {many(one.empty, 'task')} and judged no pair")


def _stops_early(one: Behavior) -> Flag | None:
    """Flag a worker who often stops before the last gold pair, since such tasks are paid but avoid the screening."""
    if one.stopped < HABIT or 2 * one.stopped <= one.tasks:
        return None
    return Flag(
        "stops early",
        f"ended {one.stopped:,} of {one.tasks:,} tasks before the last gold pair, so they do not count",
    )


def _returns(one: Behavior) -> Flag | None:
    if one.begun < HABIT or one.begun <= one.tasks:
        return None
    return Flag("returns", f"returned {one.begun:,} tasks after judging some of their pairs")


def _one_side(one: Behavior) -> Flag | None:
    """Flag a worker who prefers one side. Sides are random, so an honest worker chooses both about equally often."""
    most = max(one.left, one.decided - one.left)
    chance = min(1.0, 2 * float(scipy.special.bdtrc(most - 1, one.decided, 0.5))) if most else 1.0
    if chance >= UNLIKELY:
        return None
    side = "left" if 2 * one.left > one.decided else "right"
    share = most / one.decided
    return Flag(
        "one side",
        f"chose the {side} in {share:.0%} of {one.decided:,} judgments (p = {chance:.1g} by chance)",
    )


def _disagrees(one: Behavior, usual: float | None) -> Flag | None:
    if usual is None or not one.compared:
        return None
    chance = float(scipy.special.bdtr(int(one.agreeing), one.compared, usual))
    if one.agreeing / one.compared >= usual or chance >= UNLIKELY:
        return None
    share = one.agreeing / one.compared
    return Flag(
        "disagrees",
        f"agrees with others in {share:.0%} of {one.compared:,} comparisons; typical: {usual:.0%}",
    )


def _unread(one: Behavior, least: float | None) -> Flag | None:
    """Flag a worker who judges faster than anybody can read. This applies from a worker's first task on."""
    times = [seconds for seconds in (one.seconds_per_pair, one.seconds_on_screen) if seconds is not None]
    if least is None or least < GLANCE_SECONDS or not times or min(times) >= least:
        return None
    return Flag(
        "unread",
        f"{min(times):.1f} s a pair; the fastest reader needs {least:.1f} s for half of its words",
    )


def _quick(one: Behavior, usual: float | None) -> Flag | None:
    if usual is None or one.seconds_per_pair is None or one.tasks_timed < LEAST_TASKS:
        return None
    if one.seconds_per_pair >= QUICK * usual:
        return None
    return Flag(
        "quick",
        f"{one.seconds_per_pair:.0f} s a pair, where {usual:.0f} s is typical; check the choices",
    )


def _inconsistent(one: Behavior, usual: float | None) -> Flag | None:
    if usual is None or not one.repeated:
        return None
    chance = float(scipy.special.bdtr(one.repeated_same, one.repeated, usual))
    share = one.repeated_same / one.repeated
    if share >= usual or chance >= UNLIKELY:
        return None
    return Flag(
        "inconsistent",
        f"gave the same answer again to {share:.0%} of {one.repeated:,} repeated pairs; typical: {usual:.0%}",
    )
