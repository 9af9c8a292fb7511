"""Where a campaign stands, in one dictionary for commands, pages and scripts."""

from __future__ import annotations

from typing import Any

from django.db.models import Count

from config import clock
from config.background.failures import failure_of, waits_after
from config.background.models import Job
from config.background.registry import in_words
from config.plurals import many
from judging.models import (
    Campaign,
    CrowdCall,
    Exclusion,
    Judgment,
    Payment,
    Place,
    Submission,
    Task,
    TaskPair,
)
from judging.services import reconciling, voices
from judging.services.budget import cap_of, room_for
from judging.services.closing import pending_work
from judging.services.cost import quote_tasks
from judging.services.holding import held_in_words
from judging.services.payments import PAYING, money
from judging.services.pilot_report import pilot_report
from judging.services.places import lacking
from judging.services.screening_workers import gold_record
from judging.services.watchdog import failed_jobs, failure_in_words, put_off_jobs, stalled


def campaign_status(campaign: Campaign) -> dict[str, Any]:
    """Tasks, places, judgments, workers, exclusions, money and what comes next. Counts, and dollars as numbers."""
    tasks = _counted(campaign.tasks, "state", Task.State.values)
    dollars = money(campaign)
    judgments = _judgments(campaign)
    status: dict[str, Any] = {
        "campaign": campaign.name,
        "state": campaign.label,
        "tasks": sum(tasks.values()),
        "tasks_by_state": tasks,
        "places": _counted(Place.objects.filter(posting__campaign=campaign), "state", Place.State.values),
        "judgments": judgments,
        "submissions": _counted(campaign.submissions, "standing", Submission.Standing.values),
        "workers": campaign.submissions.exclude(standing=Submission.Standing.TRIAL)
        .values("worker")
        .distinct()
        .count(),
        "exclusions": Exclusion.objects.misconduct().filter(campaign=campaign).count(),
        "withdrawn": Exclusion.objects.standing().filter(campaign=campaign, rule=Exclusion.WITHDRAWN).count(),
        "exclusion_reasons": _exclusions(campaign),
        "gold_failed": [row for row in gold_record(campaign)[:20] if row["failed"]],
        "spent": float(dollars["spent"]),
        "owed": float(dollars["owed"]),
        "held": float(dollars["held"]),
        "committed": float(dollars["committed"]),
        "differences": reconciling.counts(campaign),
        "voices": {kind: counts[campaign.pk] for kind, counts in voices.waiting([campaign]).items()},
        "problems": problems(campaign),
    }
    status["stalled"] = [one.as_dict() | {"words": one.words()} for one in stalled(campaign)]
    if pilot := pilot_report(campaign):
        status["pilot"] = pilot.as_dict()
    return status | {"complete": is_complete(campaign), "next": what_comes_next(campaign, status)}


def is_complete(campaign: Campaign) -> bool:
    """Whether every task is done by a submission that counts."""
    return not campaign.tasks.exclude(state=Task.State.DONE).exists()


def _counted(rows: Any, field: str, names: list[str]) -> dict[str, int]:
    counts = dict(rows.values_list(field).annotate(Count("pk")).order_by())
    return {str(name): counts.get(name, 0) for name in names}


def _judgments(campaign: Campaign) -> dict[str, int]:
    standing = dict(
        Judgment.objects.filter(campaign=campaign)
        .exclude(submission=None)
        .values_list("submission__standing")
        .annotate(Count("pk"))
        .order_by()
    )
    imported = Judgment.objects.filter(campaign=campaign, submission=None)
    counted = Judgment.objects.filter(campaign=campaign).counted().count()
    wanted = TaskPair.objects.filter(task__campaign=campaign).count() + imported.count()
    excluded = imported.count() - imported.counted().count()
    return {
        "wanted": wanted,
        "counted": counted,
        "excluded": standing.get(Submission.Standing.EXCLUDED, 0) + excluded,
        "surplus": standing.get(Submission.Standing.SURPLUS, 0),
        "pending": standing.get(Submission.Standing.PENDING, 0),
        "unfinished": standing.get(Submission.Standing.UNFINISHED, 0),
        "pilot": standing.get(Submission.Standing.PILOT, 0),
        "simulated": Judgment.objects.filter(
            campaign=campaign, judge_kind=Judgment.JudgeKind.SIMULATED
        ).count(),
    }


def _exclusions(campaign: Campaign) -> list[dict[str, Any]]:
    rows = Exclusion.objects.misconduct().filter(campaign=campaign).order_by("decided_at")
    return [{"worker": row.worker_id, "rule": row.rule, "reason": row.reason} for row in rows[:1000]]


MOST_PROBLEMS = 20


def problems(campaign: Campaign) -> list[str]:
    """What the crowd refused, what waits for money or the crowd, and jobs that failed; twenty at most."""
    told = problems_of_the_crowd(campaign)
    failed = [failed_in_words(job) for job in failed_work(campaign, told)]
    return [*told, *put_off_work(campaign, told), *failed][:MOST_PROBLEMS]


def problems_of_the_crowd(campaign: Campaign) -> list[str]:
    """What the crowd refused and what waits for money, each with what to do; twenty at most."""
    stuck = (
        CrowdCall.objects.filter(campaign=campaign)
        .exclude(error_class="")
        .exclude(state=CrowdCall.State.DONE)
        .exclude(payment__state=Payment.State.SETTLED)
    )
    rows = stuck.values_list("operation", "error_class", "error_message", "next_step", "state").order_by("pk")
    counts: dict[str, int] = {}
    for operation, kind, message, next_step, state in rows[:1000]:
        if state == CrowdCall.State.FAILED:
            next_step = f"{next_step} Then: manage.py ask_again {campaign.name}."
            if operation in PAYING:
                next_step += f" Or pay another way and say so: manage.py settle_payment {campaign.name}."
        words = f"{operation} ({kind}): {message} {next_step}".strip()
        counts[words] = counts.get(words, 0) + 1
    told = [words if count == 1 else f"{words} ({count:,} times)" for words, count in counts.items()]
    held = held_in_words(campaign)
    decide = [f"{held} Run: manage.py held_payments {campaign.name}"] if held else []
    return [*_budget_problem(campaign), *decide, *told][:MOST_PROBLEMS]


def put_off_work(campaign: Campaign, told: list[str]) -> list[str]:
    """Jobs that wait because the crowd is away, and for how long; why, unless it is among what is ``told``."""
    return [_put_off_in_words(job, told) for job in put_off_jobs(campaign)]


def _put_off_in_words(job: Job, told: list[str]) -> str:
    why = waits_after(job)
    said = "" if any(why in words for words in told) else f": {why.rstrip('.')}"
    return (
        f"{in_words(job.kind).capitalize()} was put off {job.put_off:,} times in a row{said}. "
        f"It is tried again at {job.run_after:%Y-%m-%d %H:%M} UTC."
    )


def failed_work(campaign: Campaign, told: list[str]) -> list[Job]:
    """Jobs that failed and were not made up for, for a reason that nothing ``told`` has: a refused key, say."""
    if campaign.launched_at is None:
        return []
    jobs = failed_jobs(campaign, clock.now())
    return [job for job in jobs if not any(failure_in_words(job) in words for words in told)]


def failed_in_words(job: Job) -> str:
    """What a job did, why it failed and what to do."""
    return f"{in_words(job.kind)} failed: {failure_of(job) or ''}".strip()


def _budget_problem(campaign: Campaign) -> list[str]:
    return [f"{what} To go on: {next_step}" for what, next_step in budget_used_up(campaign)]


def budget_used_up(campaign: Campaign) -> list[tuple[str, str]]:
    """What waits for money, and the command that gives it; empty when nothing does."""
    waiting = lacking(campaign) if campaign.state in Campaign.OFFERING else 0
    cap = cap_of(campaign)
    if waiting <= 0 or cap is None or room_for(campaign):
        return []
    more = money(campaign)["committed"] + quote_tasks(campaign, waiting).total
    what = f"The budget of ${cap:,.2f} is used up; {many(waiting, 'task waits', 'tasks wait')}."
    return [(what, f"manage.py raise_budget {campaign.name} {more:.2f}")]


def what_comes_next(campaign: Campaign, status: dict[str, Any]) -> str:
    """One sentence: what the person does next."""
    if campaign.pool is None:
        if status["judgments"]["counted"]:
            return f"{_last_steps(campaign)}."
        return f"manage.py import_judgments {campaign.name} FILE."
    match campaign.state:
        case Campaign.State.DRAFT:
            return (
                f"Gold pairs and texts, then manage.py launch_campaign {campaign.name} "
                "(a rehearsal and a pilot before)."
            )
        case Campaign.State.REHEARSED:
            return (
                f"manage.py pilot_campaign {campaign.name} --tasks N with people, "
                f"then manage.py launch_campaign {campaign.name}."
            )
        case Campaign.State.PILOTED:
            return f"Look at what the pilot told, then manage.py launch_campaign {campaign.name}."
        case Campaign.State.CLOSING:
            return f"It closes by itself; it waits for {pending_work(campaign).words() or 'a last look'}."
        case Campaign.State.PAUSED:
            return f"manage.py resume_campaign {campaign.name} offers the remaining tasks again."
        case Campaign.State.CLOSED:
            return f"{_last_steps(campaign)}."
    return _next_while_offering(campaign, status)


def _last_steps(campaign: Campaign) -> str:
    if campaign.rehearsal_of:  # simulated judgments are not published
        return f"manage.py resolve {campaign.name}, and go on with {campaign.rehearsal_of.name}"
    return f"manage.py resolve {campaign.name}, then manage.py publish_qrels {campaign.name}"


def _next_while_offering(campaign: Campaign, status: dict[str, Any]) -> str:
    if status["problems"]:
        return "Look at the problems above; what can be tried again is tried by itself."
    if is_complete(campaign):
        return f"Every pair is judged: {_last_steps(campaign)}."
    if campaign.state == Campaign.State.PILOTING:
        pilot = status["pilot"]
        return f"The pilot is under way: {pilot['submitted']} of {pilot['wanted']} tasks are in."
    if (waiting := lacking(campaign)) > 0:
        return f"manage.py collect {campaign.name} offers {many(waiting, 'task')} again (make run does so by itself)."
    left = status["judgments"]["wanted"] - status["judgments"]["counted"]
    return f"Workers judge; {many(left, 'judgment is', 'judgments are')} still to come."
