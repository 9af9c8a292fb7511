"""Decide whether a round accepts a team's run."""

from collections.abc import Mapping, Sequence
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
    """One of the team's earlier runs in the round."""

    run_tag: str
    baseline: bool
    priority: int | None


@dataclass(frozen=True)
class RoundRefusal:
    """The reason for refusing a run, and the next step. ``closed``: why no round is open, or empty."""

    why: str
    next_step: str
    closed: str = ""


def moment_in_utc(moment: datetime, timespec: str = "seconds") -> str:
    """Return a moment as text in UTC, as precise as ``timespec`` says (see ``datetime.isoformat``)."""
    return f"{moment.astimezone(UTC).replace(tzinfo=None).isoformat(' ', timespec)} UTC"


def open_round(rounds: Sequence[RoundRules], at: datetime) -> RoundRules | RoundRefusal:
    """Return the open round that closes first, or the refusal of a run that arrives while no round is open."""
    found = [one for one in rounds if one.is_open(at)]
    if found:
        return min(found, key=lambda one: one.closes_at)
    coming = next_round(rounds, at)
    over = max((one for one in rounds if one.closes_at <= at), key=lambda one: one.closes_at, default=None)
    closed = (
        f"the round {over.name} closed on {moment_in_utc(over.closes_at)}" if over else "no round is open yet"
    )
    arrived = moment_in_utc(at)
    if over and over.closes_at < at and moment_in_utc(over.closes_at) == arrived:
        arrived = moment_in_utc(at, "milliseconds")  # To the second, the run would seem to be in time.
    why = f"{closed}, and this run arrived on {arrived}."
    if coming is None:
        return RoundRefusal(why, "No further round is planned. Ask the organizers.", closed)
    return RoundRefusal(why, _opening(coming), closed)


def next_round(rounds: Sequence[RoundRules], at: datetime) -> RoundRules | None:
    """Return the first round that opens after this moment, if one is planned."""
    return min((one for one in rounds if one.opens_at > at), key=lambda one: one.opens_at, default=None)


def next_place(rounds: Sequence[RoundRules], sent: Mapping[str, int], since: datetime) -> datetime | None:
    """Return the first moment from ``since`` at which a round accepts one more official run; None if no round will.

    ``sent``: name of a round → the number of official runs that the team has sent in it.
    """
    changes = {moment for one in rounds for moment in (one.opens_at, one.closes_at) if moment > since}
    for moment in [since, *sorted(changes)]:
        current = open_round(rounds, moment)
        if isinstance(current, RoundRules) and sent.get(current.name, 0) < current.most_runs:
            return moment
    return None


def refusals_in_round(
    rules: RoundRules,
    before: Sequence[RunBefore],
    *,
    baseline: bool,
    priority: int | None,
    coming: RoundRules | None = None,
) -> list[RoundRefusal]:
    """Return every reason why the round refuses one more run of a team. ``before``: the team's runs in the round.

    ``coming`` is the round that opens next, if one is planned.
    """
    most = rules.most_baselines if baseline else rules.most_runs
    sent = [one for one in before if one.baseline is baseline]
    found = [_over_limit(rules, len(sent), most, "baseline run" if baseline else "run", coming)]
    if rules.priorities and not baseline and most:
        found.append(_wrong_priority(rules, sent, priority))
    return [one for one in found if one is not None]


def _over_limit(
    rules: RoundRules, sent: int, most: int, kind: str, coming: RoundRules | None
) -> RoundRefusal | None:
    if sent < most:
        return None
    accepted = f"{many(most, kind)} from each team" if most else f"no {kind}s"
    closes = f"This round closes on {moment_in_utc(rules.closes_at)}"
    return RoundRefusal(
        f"the round {rules.name} accepts {accepted}, and the team has {sent}.",
        f"Withdraw a run with the organizers' help, or wait for the next round. {closes}. {_opening(coming)}"
        if coming
        else f"Withdraw a run with the organizers' help. {closes}, and no further round is planned.",
    )


def _wrong_priority(
    rules: RoundRules, sent: Sequence[RunBefore], priority: int | None
) -> RoundRefusal | None:
    if priority is None or priority > rules.most_runs:
        return RoundRefusal(
            f"the round {rules.name} requires a priority from 1 to {rules.most_runs}.",
            f"Give each of the team's runs a different priority, from 1 to {rules.most_runs}.",
        )
    taken = next((one.run_tag for one in sent if one.priority == priority), None)
    if taken is None:
        return None
    return RoundRefusal(
        f"the team's run {taken} already has priority {priority}.", "Give this run a different priority."
    )


def _opening(coming: RoundRules) -> str:
    return f"The round {coming.name} opens on {moment_in_utc(coming.opens_at)}."
