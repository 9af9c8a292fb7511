"""Submission policies: set one, and hold a new run to it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from config import clock
from pooling.errors import SubmissionRefused
from pooling.models import Collection, Run, SubmissionPolicy
from pooling.submission_rules import next_welcome

# What may be asked for: fields of a run, and how a person is told to give them.
METADATA = {
    "team": "--team",
    "description": "--description",
    "paper": "--paper",
    "code": "--code",
    "run_type": "--type",
    "submitted_on": "--date",
}
REQUIRED = ("team", "description", "run_type")


def set_policy(
    *,
    collection: Collection,
    most_runs: int,
    period_days: int,
    most_variants: int = 1,
    required: Sequence[str] = REQUIRED,
    longest_embargo_days: int = 0,
) -> SubmissionPolicy:
    """Set or replace the collection's policy; runs that are there stay. The team is always required."""
    if most_runs < 1 or period_days < 1 or min(most_variants, longest_embargo_days) < 0:
        raise SubmissionRefused(
            "A policy lets in at least one run in at least one day.", "Give numbers from 1."
        )
    unknown = [name for name in required if name not in METADATA]
    if unknown:
        raise SubmissionRefused(
            f"A run has no {', '.join(unknown)}.", f"What may be required: {', '.join(METADATA)}."
        )
    policy, _ = SubmissionPolicy.objects.update_or_create(
        collection=collection,
        defaults={
            "most_runs": most_runs,
            "most_variants": most_variants,
            "period_days": period_days,
            "required": [name for name in METADATA if name == "team" or name in required],
            "longest_embargo_days": longest_embargo_days,
        },
    )
    return policy


def drop_policy(*, collection: Collection) -> bool:
    """Take the policy away; whether there was one."""
    return bool(SubmissionPolicy.objects.filter(collection=collection).delete()[0])


def hold_to_policy(collection: Collection, run_tag: str, facts: dict[str, Any]) -> None:
    """Raise SubmissionRefused when the board's policy does not let a run of these facts in.

    To be called in the transaction that makes the run: writing to the policy's row first keeps a second import
    waiting until this one is through. Baselines are the board's own and exempt.
    """
    policies = SubmissionPolicy.objects.filter(collection=collection)
    if facts["baseline"] or not policies.update(checked_at=clock.now()):
        return
    _hold(policies.get(), collection, run_tag, facts)


def refuse_against_policy(collection: Collection, run_tag: str, facts: dict[str, Any]) -> None:
    """The same as far as can be told now, for a check that changes nothing and keeps nobody waiting."""
    policy = SubmissionPolicy.objects.filter(collection=collection).first()
    if policy is not None and not facts["baseline"]:
        _hold(policy, collection, run_tag, facts)


def _hold(policy: SubmissionPolicy, collection: Collection, run_tag: str, facts: dict[str, Any]) -> None:
    _complete(policy, run_tag, facts)
    _embargo(policy, run_tag, facts)
    team_runs = _runs_of_team(collection, run_tag, facts["team"])
    day = facts["submitted_on"] or clock.now().date()
    _within(policy, policy.most_runs, team_runs, run_tag, day, "runs")
    if facts["variant_of"] is not None:
        variants = [run for run in team_runs if run.variant_of_id]
        what = "runs that differ from another only by hyperparameters or seed"
        _within(policy, policy.most_variants, variants, run_tag, day, what)


def held_fast(run: Run) -> frozenset[str]:
    """What may not be changed about a run, since by it the policy let the run in."""
    policy = not run.baseline and SubmissionPolicy.objects.filter(collection=run.collection_id).exists()
    return frozenset({"team", "submitted_on", "baseline"} if policy else ())


def refuse_change_against_policy(run: Run, changed: dict[str, Any]) -> None:
    """Raise SubmissionRefused when the board's policy lets nobody change this about the run."""
    policy = SubmissionPolicy.objects.filter(collection=run.collection_id).first()
    if policy is None or run.baseline:
        return
    # A team's runs are counted by its name and their days; what was never said may still be.
    fixed = sorted(name for name in held_fast(run) & changed.keys() if getattr(run, name))
    if fixed or changed.get("baseline"):
        names = " and ".join(name.replace("_", " ") for name in fixed or ["baseline"])
        raise SubmissionRefused(
            f"{run.run_tag}: the board's policy lets nobody change this: {names}.", "Leave it as it is."
        )
    emptied = [name for name in policy.required if name in changed and not changed[name]]
    if emptied:
        raise SubmissionRefused(
            f"{run.run_tag}: the board asks for more about a run than would be left.",
            "Leave something there.",
            missing=emptied,
        )
    facts = {"submitted_on": run.submitted_on or run.created_at.date(), **changed}
    _embargo(policy, run.run_tag, {"anonymous_until": None, **facts})


def _complete(policy: SubmissionPolicy, run_tag: str, facts: dict[str, Any]) -> None:
    missing = [name for name in policy.required if not facts[name]]
    if missing:
        raise SubmissionRefused(
            f"{run_tag}: the board asks for more about a run than was said.",
            f"Add {' '.join(METADATA[name] for name in missing)}.",
            missing=missing,
        )


def _embargo(policy: SubmissionPolicy, run_tag: str, facts: dict[str, Any]) -> None:
    until = facts["anonymous_until"]
    latest = (facts["submitted_on"] or clock.now().date()) + timedelta(days=policy.longest_embargo_days)
    if until is not None and until > latest:
        raise SubmissionRefused(
            f"{run_tag}: nobody stays anonymous until {until} on this board.",
            f"The latest day for it is {latest}." if policy.longest_embargo_days else "Leave the day out.",
        )


def _runs_of_team(collection: Collection, run_tag: str, team: str) -> list[Run]:
    """The team's runs that count. A team's name is frozen as first written: spelt otherwise it is refused."""
    runs = list(Run.objects.filter(collection=collection, baseline=False).exclude(team=""))
    spelt = {run.team for run in runs if _plain(run.team) == _plain(team)}
    if spelt and team not in spelt:
        raise SubmissionRefused(
            f"{run_tag}: {team!r} submitted as {sorted(spelt)[0]!r} before, and names are frozen.",
            "Write it as before.",
        )
    return [run for run in runs if run.team == team]


def _plain(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum()) or name


def _within(
    policy: SubmissionPolicy, most: int, runs: Sequence[Run], run_tag: str, day: date, what: str
) -> None:
    days = [run.submitted_on or run.created_at.date() for run in runs]
    if most == 0:
        raise SubmissionRefused(f"{run_tag}: this board takes no {what}.", "Submit something else.")
    welcome = next_welcome(days, wanted=day, most=most, days=policy.period_days)
    if welcome > day:
        raise SubmissionRefused(
            f"{run_tag}: a team may submit {most} {what} in any {policy.period_days} days.",
            f"The next one is welcome on {welcome}.",
            welcome_on=welcome,
        )
