"""Flags on workers for a person to review, with reasons. A flag is never a verdict and has no consequences.

Every flag compares counts with chance, so a few judgments raise none. ``UNLIKELY`` is strict: among 500 good
workers, chance alone raises a flag once in two campaigns.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

import scipy  # loads scipy.special on first use; loading it at the start would cost every command a third of a second

from config.plurals import many
from judging.rules.reading_speed import GLANCE_SECONDS
from judging.rules.screening import GOLD_PAIR

UNLIKELY = 0.001
#: A worker is quick below this share of the usual time for a pair.
QUICK = 1 / 3
#: The minimum number of tasks from which a habit of ending tasks is inferred.
HABIT = 3
#: The minimum number of tasks from which a time is estimated.
LEAST_TASKS = 2


@dataclass(frozen=True)
class Flag:
    """A short name, and the sentence that explains it."""

    name: str
    words: str


@dataclass(frozen=True)
class Behavior:
    """The record of one worker: counts of judgments, and seconds per pair; None: not known.

    ``seconds_per_pair`` counts from opening the task, ``seconds_on_screen`` only the time in which the page reports
    that it showed pairs. Of the submitted ``tasks``, ``stopped`` ended before the last gold pair. ``empty`` tasks
    were left without a judged pair, ``sent_empty`` of them by submitting; ``begun`` tasks were returned with some
    judged pairs.
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
    """The campaign's usual figures, with which workers are compared; None where unknown.

    ``least_seconds_per_pair``: the seconds that the fastest reader needs for half the words of a pair.
    """

    agreement: float | None
    seconds_per_pair: float | None
    consistency: float | None = None
    least_seconds_per_pair: float | None = None


def usual_among(workers: Iterable[Behavior], least_seconds: float) -> Usual:
    """Return the medians over workers; each share is weighted by its number of comparisons.

    A median is reliable as long as most of the work is honest, but one worker who chooses at random lowers a mean.
    """
    known = list(workers)
    times = [one.seconds_per_pair for one in known if one.seconds_per_pair is not None]
    agreement = _median_share([(one.agreeing, one.compared) for one in known])
    consistency = _median_share([(one.repeated_same, one.repeated) for one in known])
    return Usual(agreement, median(times) if times else None, consistency, least_seconds)


def _median_share(counts: Iterable[tuple[float, int]]) -> float | None:
    """Return the median of part / whole, each weighted by its whole; None if all are empty."""
    shares = sorted((part / whole, whole) for part, whole in counts if whole)
    half, below = sum(whole for _, whole in shares) / 2, 0
    for share, whole in shares:
        below += whole
        if below >= half:
            return share
    return None


def flags_of(one: Behavior, usual: Usual) -> list[Flag]:
    """Return the flags of a worker, in a fixed order."""
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
    """Flag a worker who submits a task, or returns several, without a judged pair: anybody can return one."""
    if not one.sent_empty and one.empty < HABIT:
        return None
    return Flag("empty", f"agreed to {many(one.empty, 'task')} and judged no pair")


def _stops_early(one: Behavior) -> Flag | None:
    """Flag a worker who often stops before the last gold pair: such tasks are paid but avoid the test."""
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
    """Flag a preference for one side: sides are random, so an honest worker chooses each equally often."""
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
    """Flag times too short for anybody to read. This applies from a worker's first task on."""
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
