"""Pure: what about a worker a person may want to look at, and why. A flag is never a verdict: nothing rests on it.

Every flag compares counts with chance, so that a few judgments raise none. ``UNLIKELY`` is strict: among 500 workers
who all do well, a flag that rests on chance alone is raised once in two campaigns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import scipy  # loads scipy.special when it is first used: it would be a third of a second of every command

UNLIKELY = 0.001
#: Quick is who takes less than this share of the usual time for a pair.
QUICK = 1 / 3
#: Tasks that a time must rest on.
LEAST_TASKS = 2


@dataclass(frozen=True)
class Flag:
    """A short name, and the sentence that explains it."""

    name: str
    words: str


@dataclass(frozen=True)
class Behaviour:
    """What is known of one worker; counts of judgments, seconds for a pair (None: not timed)."""

    judgments: int
    left: int
    decided: int
    compared: int
    agreeing: float
    gold_seen: int
    gold_failed: int
    tasks_timed: int
    seconds_per_pair: float | None
    repeated: int = 0
    repeated_same: int = 0
    empty: int = 0


@dataclass(frozen=True)
class Usual:
    """The campaign's own figures that workers are set against; None where there are none."""

    agreement: float | None
    seconds_per_pair: float | None
    consistency: float | None = None


def flags_of(one: Behaviour, usual: Usual) -> list[Flag]:
    """The flags of a worker, in a fixed order."""
    return [
        flag
        for flag in (
            _failed_gold(one),
            _sent_empty(one),
            _one_side(one),
            _disagrees(one, usual.agreement),
            _quick(one, usual.seconds_per_pair),
            _inconsistent(one, usual.consistency),
        )
        if flag
    ]


def _failed_gold(one: Behaviour) -> Flag | None:
    if not one.gold_failed:
        return None
    return Flag("test pairs", f"failed {one.gold_failed:,} of {one.gold_seen:,} test pairs")


def _sent_empty(one: Behaviour) -> Flag | None:
    if not one.empty:
        return None
    tasks = "a task" if one.empty == 1 else f"{one.empty:,} tasks"
    return Flag("empty", f"agreed to {tasks} and judged no pair")


def _one_side(one: Behaviour) -> Flag | None:
    """Sides are drawn by lot, so an honest worker prefers either as often as the other."""
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


def _disagrees(one: Behaviour, usual: float | None) -> Flag | None:
    if usual is None or not one.compared:
        return None
    chance = float(scipy.special.bdtr(int(one.agreeing), one.compared, usual))
    if one.agreeing / one.compared >= usual or chance >= UNLIKELY:
        return None
    share = one.agreeing / one.compared
    return Flag(
        "disagrees",
        f"agrees with others in {share:.0%} of {one.compared:,} comparisons; usual is {usual:.0%}",
    )


def _quick(one: Behaviour, usual: float | None) -> Flag | None:
    if usual is None or one.seconds_per_pair is None or one.tasks_timed < LEAST_TASKS:
        return None
    if one.seconds_per_pair >= QUICK * usual:
        return None
    return Flag(
        "quick",
        f"{one.seconds_per_pair:.0f} seconds a pair, where {usual:.0f} are usual; look at what was chosen",
    )


def _inconsistent(one: Behaviour, usual: float | None) -> Flag | None:
    if usual is None or not one.repeated:
        return None
    chance = float(scipy.special.bdtr(one.repeated_same, one.repeated, usual))
    share = one.repeated_same / one.repeated
    if share >= usual or chance >= UNLIKELY:
        return None
    return Flag(
        "inconsistent",
        f"gave the same answer again to {share:.0%} of {one.repeated:,} repeated pairs; usual is {usual:.0%}",
    )


def names_of(flags: Sequence[Flag]) -> str:
    """The flags' names in one line."""
    return ", ".join(flag.name for flag in flags)
