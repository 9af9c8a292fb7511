"""Release runs whose embargo is over, if the board's policy says so."""

from datetime import date, timedelta

from config import clock
from config.sweep import Sweep
from pooling.models import Run, SubmissionPolicy
from pooling.runs.run_descriptions import describe_run

#: The actor shown in the activity log for a release by the policy.
BY_POLICY = "the submission policy"


def release_after_embargoes() -> int:
    """Release the teams' runs whose embargo is over, up to the level of their board's policy; return how many.

    Baselines and runs without a team are not released.

    A run that cannot be released does not block the others: SweepFailed is raised at the end.
    """
    today, released, sweep = clock.now().date(), 0, Sweep("Releasing runs after their embargo")
    for policy in SubmissionPolicy.objects.exclude(release_after=""):
        for run in _runs_to_release(policy):
            if embargo_ends(run, policy) > today:
                continue
            with sweep.step(f"run {run.run_tag}"):
                describe_run(run=run, changes={"release": policy.release_after}, who=BY_POLICY)
                released += 1
    sweep.end()
    return released


def embargo_ends(run: Run, policy: SubmissionPolicy) -> date:
    """Return the first day after the run's embargo: the chosen day, else the latest that the policy allows."""
    if run.anonymous_until is not None:
        return run.anonymous_until
    submitted = run.submitted_on or run.created_at.date()
    return submitted + timedelta(days=policy.longest_embargo_days)


def any_to_release() -> bool:
    """Return whether the policy of any board releases runs automatically."""
    return SubmissionPolicy.objects.exclude(release_after="").exists()


def _runs_to_release(policy: SubmissionPolicy) -> list[Run]:
    """Return the teams' runs whose release level is below the policy's."""
    below = [Run.Release.PRIVATE] if policy.release_after == Run.Release.SCORES else ["private", "scores"]
    runs = Run.objects.filter(collection=policy.collection_id, release__in=below, baseline=False)
    return list(runs.exclude(team="").select_related("collection").order_by("pk"))
