"""Change a run's description, and log the change. A run's ranking never changes."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from pooling.collections.members import log
from pooling.errors import PoolingError, SubmissionRefused
from pooling.models import Run
from pooling.rules.run_details import REPORTED, numbers_by_measure, read_details
from pooling.runs.runs import RunFacts
from pooling.teams.run_fields import known_details
from pooling.teams.submission_policies import refuse_change_against_policy

#: The fields that can change. ``variant_of`` cannot, because it was checked at submission.
CHANGEABLE = frozenset(RunFacts.__dataclass_fields__) - {"variant_of"}
#: The fields that a team can change on its own run. Others, such as team and day, determine which limits apply.
CHANGEABLE_BY_TEAM = frozenset({"description", "paper", "code", "details", "release", "anonymous_until"})
#: Details that a team cannot change: the board ranks, pools and reports by them.
SETTLED = frozenset({"task", "subtask", "priority", REPORTED})
#: Release levels, from closed to open. A team can open its run further; only maintainers can close it again.
OPENNESS = (Run.Release.PRIVATE, Run.Release.SCORES, Run.Release.PUBLIC)


def describe_run(*, run: Run, changes: dict[str, Any], who: str, by_team: bool = False) -> Run:
    """Change the run's description or release level. ``by_team``: whether the run's own team makes the change.

    Raises PoolingError, and SubmissionRefused for a change that the board's policy, or a team's role, forbids.
    """
    if strange := changes.keys() - CHANGEABLE:
        raise PoolingError(
            f"Unknown field {', '.join(sorted(strange))}.", f"Fields: {', '.join(sorted(CHANGEABLE))}."
        )
    if changes.get("release", run.release) not in Run.Release.values:
        raise PoolingError("The release level must be public, scores or private.")
    if "details" in changes:
        changes = changes | {"details": _changed_details(run, changes["details"])}
    changed = {name: value for name, value in changes.items() if getattr(run, name) != value}
    if changed:
        if by_team:
            _refuse_change_by_team(run, changed)
        refuse_change_against_policy(run, changed)
        with transaction.atomic():
            Run.objects.filter(pk=run.pk).update(**changed)
            said = f"released as {changed['release']}" if "release" in changed else "described"
            log(run.collection, f"run {run.run_tag} {said}", who=who)
        run.refresh_from_db()
    return run


def opened_further(run: Run) -> list[Run.Release]:
    """Return the release levels that a team can choose for its run: those that show more than the current level."""
    return list(OPENNESS[OPENNESS.index(Run.Release(run.release)) + 1 :])


def _refuse_change_by_team(run: Run, changed: Mapping[str, Any]) -> None:
    """Raise SubmissionRefused for changes that only the board's maintainers can make."""
    details = changed.get("details", run.details)
    settled = {name for name in SETTLED if details.get(name) != run.details.get(name)}
    if fixed := sorted((changed.keys() - CHANGEABLE_BY_TEAM) | settled):
        raise SubmissionRefused(
            f"{run.run_tag}: a team cannot change this after the submission: {', '.join(fixed)}.",
            "Ask the board's owners.",
        )
    if "release" in changed and changed["release"] not in opened_further(run):
        raise SubmissionRefused(
            f"{run.run_tag} is released as {run.release}, and a team cannot undo that.",
            "Ask the board's owners.",
        )
    shown = run.release != Run.Release.PRIVATE and not run.is_anonymous
    if shown and changed.get("anonymous_until"):
        raise SubmissionRefused(
            f"{run.run_tag} is already shown under the team's name, and a team cannot hide the name again.",
            "Ask the board's owners.",
        )


def _changed_details(run: Run, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the run's details with these changes; empty values remove a detail. Raises PoolingError."""
    known = known_details(run.collection)
    others = {name: value for name, value in given.items() if name != REPORTED}
    read: dict[str, Any] = {**read_details(others, known)}
    if given.get(REPORTED):
        read[REPORTED] = _reported_values(given[REPORTED])
    return {name: value for name, value in run.details.items() if name not in given} | read


def _reported_values(given: Any) -> dict[str, float]:
    values = numbers_by_measure(given)
    if values is None:
        raise PoolingError(
            f"{REPORTED} must contain numbers by measure.",
            f'Write it as {{"{REPORTED}": {{"nDCG@10": 0.7184}}}}.',
        )
    return values


@transaction.atomic
def release_runs(*, runs: Sequence[Run], release: str, who: str) -> list[Run]:
    """Release these runs at one level, all or none; return those that changed. Raises PoolingError."""
    before = {run.pk: run.release for run in runs}
    for run in runs:
        describe_run(run=run, changes={"release": release}, who=who)
    return [run for run in runs if before[run.pk] != release]
