"""Decide whether a round accepts a team's run."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from config.plurals import many


@dataclass(frozen=True)
class RoundRules:
    """A round's times and limits. It accepts runs from ``opens_at`` to just before ``closes_at``."""

    name: str
    opens_at: datetime
    closes_at: datetime
    most_runs: int
    most_baselines: int = 0
    priorities: bool = False

    def is_open(self, at: datetime) -> bool:
        """Return whether a run that arrives at this moment is in time."""
        return self.opens_at <= at < self.closes_at


@dataclass(frozen=True)
class RunBefore:
    """One of the team's runs in the round."""

    run_tag: str
    baseline: bool
    priority: int | None


@dataclass(frozen=True)
class RoundRefusal:
    """A refusal of a run: the reason and the next step. ``closed``: the reason for any run while no round is open."""

    why: str
    next_step: str
    closed: str = ""


def moment_in_utc(moment: datetime) -> str:
    """Return a moment as text, to the second, with its time zone."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def open_round(rounds: Sequence[RoundRules], at: datetime) -> RoundRules | RoundRefusal:
    """Return the round that is open at this moment (the first to close), or the refusal if no round is open."""
    found = [one for one in rounds if one.is_open(at)]
    if found:
        return min(found, key=lambda one: one.closes_at)
    coming = min((one for one in rounds if one.opens_at > at), key=lambda one: one.opens_at, default=None)
    over = max((one for one in rounds if one.closes_at <= at), key=lambda one: one.closes_at, default=None)
    closed = (
        f"the round {over.name} closed on {moment_in_utc(over.closes_at)}" if over else "no round is open yet"
    )
    why = f"{closed}, and this run arrived on {moment_in_utc(at)}."
    if coming is None:
        return RoundRefusal(why, "No further round is planned. Ask the organizers.", closed)
    return RoundRefusal(why, f"The round {coming.name} opens on {moment_in_utc(coming.opens_at)}.", closed)


def refusal_in_round(
    rules: RoundRules, before: Sequence[RunBefore], *, baseline: bool, priority: int | None
) -> RoundRefusal | None:
    """Return why the round does not accept one more run of a team that has ``before``; None if it does."""
    kind = "baseline run" if baseline else "run"
    most = rules.most_baselines if baseline else rules.most_runs
    sent = [one for one in before if one.baseline is baseline]
    if len(sent) >= most:
        limit = (
            f"the round {rules.name} accepts {many(most, kind)} of each team"
            if most
            else (f"the round {rules.name} accepts no {kind}s")
        )
        return RoundRefusal(
            f"{limit}, and the team has {len(sent)}.",
            f"Withdraw a run with the organizers' help, or wait for the next round. This round closes on "
            f"{moment_in_utc(rules.closes_at)}.",
        )
    if not rules.priorities or baseline:
        return None
    if priority is None or priority > most:
        return RoundRefusal(
            f"the round {rules.name} requires a priority from 1 to {most}.",
            f"Give each of the team's runs a different priority, from 1 to {most}.",
        )
    taken = next((one.run_tag for one in sent if one.priority == priority), None)
    if taken is None:
        return None
    return RoundRefusal(
        f"the team's run {taken} already has priority {priority}.", "Give this run a different priority."
    )
