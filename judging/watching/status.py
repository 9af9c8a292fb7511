"""The status of a campaign, in one dictionary for commands, pages and scripts."""

from typing import Any

from django.db.models import Count

from config.guidance import Action, Guidance
from config.plurals import many
from judging.campaign.cost import money
from judging.grading.crowd_grading import undecided_topics
from judging.intake.places import lacking
from judging.intake.raised_flags import flagged
from judging.intake.screened_work import gold_record
from judging.launch.closure import pending_work
from judging.launch.pilot_report import pilot_report
from judging.models import (
    Campaign,
    Exclusion,
    Judgment,
    Place,
    Submission,
    Task,
    TaskPair,
)
from judging.money import discrepancies
from judging.people import appeal_answers
from judging.watching.blockers import problems
from judging.watching.watchdog import stalled_work


def campaign_status(campaign: Campaign) -> dict[str, Any]:
    """Return the campaign's state, counts of its work and workers, its money in dollars, and the next step."""
    tasks = _count_by_field(campaign.tasks, "state", Task.State.values)
    places = Place.objects.filter(posting__campaign=campaign)
    dollars = money(campaign)
    judgments = _judgment_totals(campaign)
    status: dict[str, Any] = {
        "campaign": campaign.name,
        "state": campaign.label,
        "tasks": sum(tasks.values()),
        "tasks_by_state": tasks,
        "places": _count_by_field(places, "state", Place.State.values),
        "judgments": judgments,
        "submissions": _count_by_field(campaign.submissions, "standing", Submission.Standing.values),
        "workers": campaign.submissions.exclude(standing=Submission.Standing.TRIAL)
        .values("worker")
        .distinct()
        .count(),
        "exclusions": Exclusion.objects.misconduct().filter(campaign=campaign).count(),
        "withdrawn": Exclusion.objects.standing().filter(campaign=campaign, rule=Exclusion.WITHDRAWN).count(),
        "exclusion_reasons": _exclusion_reasons(campaign),
        "flagged_workers": [{"worker": one.worker_id, "flags": one.flags} for one in flagged(campaign)[:20]],
        "gold_failed": [row for row in gold_record(campaign)[:20] if row["failed"]],
        "spent": float(dollars["spent"]),
        "owed": float(dollars["owed"]),
        "held": float(dollars["held"]),
        "committed": float(dollars["committed"]),
        "differences": discrepancies.count_open_differences(campaign),
        "voices": {kind: counts[campaign.pk] for kind, counts in appeal_answers.waiting([campaign]).items()},
        "problems": problems(campaign),
    }
    status["stalled"] = [one.as_dict() | {"words": one.words()} for one in stalled_work(campaign)]
    if pilot := pilot_report(campaign):
        status["pilot"] = pilot.as_dict()
    return status | {"complete": is_complete(campaign), "next": campaign_next_step(campaign, status)}


def is_complete(campaign: Campaign) -> bool:
    """Return whether every task is done by a submission that counts, and no topic needs more judgments."""
    return not campaign.tasks.exclude(state=Task.State.DONE).exists() and not undecided_topics(campaign)


def _count_by_field(rows: Any, field: str, names: list[str]) -> dict[str, int]:
    counts = dict(rows.values_list(field).annotate(Count("pk")).order_by())
    return {str(name): counts.get(name, 0) for name in names}


def _judgment_totals(campaign: Campaign) -> dict[str, int]:
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


def _exclusion_reasons(campaign: Campaign) -> list[dict[str, Any]]:
    rows = Exclusion.objects.misconduct().filter(campaign=campaign).order_by("decided_at")
    return [{"worker": row.worker_id, "rule": row.rule, "reason": row.reason} for row in rows[:1000]]


def campaign_next_step(campaign: Campaign, status: dict[str, Any]) -> Guidance:
    """Return one sentence on the next step for the campaign's manager, or on what the campaign waits for."""
    name = campaign.name
    launch = Action("launch_campaign", name, lead="")
    if campaign.pool is None:
        if status["judgments"]["counted"]:
            return Guidance(_last_steps(campaign), ".")
        return Guidance(Action("import_judgments", name, "FILE", lead=""), ".")
    match campaign.state:
        case Campaign.State.DRAFT:
            first = "a rehearsal" if campaign.placeholder_text else "a rehearsal and a pilot"
            return Guidance("Prepare gold pairs and texts, then ", launch, f" (after {first}).")
        case Campaign.State.REHEARSED if campaign.placeholder_text:
            return Guidance(launch, ".")
        case Campaign.State.REHEARSED:
            pilot = Action("pilot_campaign", name, "--tasks N", lead="")
            return Guidance(pilot, " with people, then ", launch, ".")
        case Campaign.State.PILOTED:
            return Guidance("Look at the pilot's results, then ", launch, ".")
        case Campaign.State.CLOSING:
            waits_for = pending_work(campaign).words() or "a last check"
            return Guidance(f"It closes automatically. It waits for {waits_for}.")
        case Campaign.State.PAUSED:
            return Guidance(Action("resume_campaign", name, lead=""), " offers the remaining tasks again.")
        case Campaign.State.CLOSED:
            return Guidance(_last_steps(campaign), ".")
    return _next_while_offering(campaign, status)


def _last_steps(campaign: Campaign) -> Guidance:
    if (left := undecided_topics(campaign)) and campaign.grading:
        return Guidance(
            f"{many(left, 'topic is', 'topics are')} undecided, and free for assessors and new campaigns: ",
            Action("grading_status", campaign.collection.name, campaign.grading.name, lead=""),
        )
    if campaign.grading:
        return Guidance(
            Action("publish_grades", campaign.collection.name, f"{campaign.grading.name} --set NAME", lead="")
        )
    resolve = Action("resolve", campaign.name, lead="")
    if campaign.rehearsal_of:  # simulated judgments are not published
        return Guidance(resolve, f", and continue with {campaign.rehearsal_of.name}")
    return Guidance(resolve, ", then ", Action("publish_qrels", campaign.name, lead=""))


def _next_while_offering(campaign: Campaign, status: dict[str, Any]) -> Guidance:
    if status["problems"]:
        return Guidance("Check the problems above. Temporary failures are retried automatically.")
    if is_complete(campaign):
        return Guidance(
            "Every topic is decided: " if campaign.grading else "Every pair is judged: ",
            _last_steps(campaign),
            ".",
        )
    if campaign.state == Campaign.State.PILOTING:
        pilot = status["pilot"]
        return Guidance(f"The pilot is under way: {pilot['submitted']} of {pilot['wanted']} tasks submitted.")
    if (waiting := lacking(campaign)) > 0:
        collect = Action("collect", campaign.name, lead="")
        return Guidance(collect, f" offers {many(waiting, 'task')} again (make run does this automatically).")
    left = status["judgments"]["wanted"] - status["judgments"]["counted"]
    return Guidance(f"Tasks are offered. {many(left, 'judgment is', 'judgments are')} still to come.")
