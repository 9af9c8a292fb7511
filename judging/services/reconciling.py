"""Where our records and the crowd's differ: submitted there only, complete here only, different in both.

The crowd's list decides who submitted; our record of each click decides what was chosen. Nothing that is missing on
either side rejects or unpays anybody: what differs is named, and a person looks at it.
"""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from config import clock
from judging.models import Campaign, Choice, Discrepancy, Submission
from judging.services.answers import FIELD, final_choices
from judging.services.campaigns import log

NEXT_STEPS = {
    Discrepancy.Kind.ONLY_THERE: "Choices that our page did not save do not count, and their pay is held until a "
    "person decides. Check whether the page was reachable at that time.",
    Discrepancy.Kind.ONLY_HERE: "Work that the crowd lists later is collected as usual. Otherwise, pay it by the "
    "receipt.",
    Discrepancy.Kind.DIFFERENT: "What was clicked on our page counts. Many of these hint at a broken page.",
}


def note_only_there(submission: Submission, *, answered: int, saved: int) -> None:
    """The crowd's form has answers of which our page saw none, or only those ``saved``; counts of pairs."""
    _note(submission, Discrepancy.Kind.ONLY_THERE, {"answered": answered, "saved": saved})


def note_differences(submission: Submission, answers: dict[str, str]) -> None:
    """Compare the crowd's form with our record, slot by slot; a form that says nothing of a slot is no difference."""
    ours = final_choices(submission)
    different = {}
    for slot in submission.slots.order_by("number"):
        there, here = answers.get(f"{FIELD}{slot.number}", ""), ours.get(slot.pk)
        if there and here and there in Choice.Side.values and there != here.side:
            different[str(slot.number)] = {"ours": here.side, "theirs": there}
    if different:
        _note(submission, Discrepancy.Kind.DIFFERENT, {"slots": different})


def note_only_here(campaign: Campaign) -> int:
    """Note what was sent off from our page and never came up in the crowd's list, its time being over.

    Returns how many are new.
    """
    missing = Submission.objects.filter(campaign=campaign, state=Submission.State.LAPSED)
    missing = missing.exclude(finished_at=None).exclude(standing=Submission.Standing.TRIAL)
    fresh = missing.exclude(discrepancies__kind=Discrepancy.Kind.ONLY_HERE)
    for submission in fresh:
        _note(submission, Discrepancy.Kind.ONLY_HERE, {"receipt": receipt_of(submission)})
    return len(fresh)


def resolve_only_here(submission: Submission) -> None:
    """The crowd lists it after all."""
    open_ones = submission.discrepancies.filter(kind=Discrepancy.Kind.ONLY_HERE, resolved_at=None)
    open_ones.update(resolved_at=clock.now(), resolution="the crowd lists it now")


def reopen_only_here(submission: Submission) -> None:
    """It was not paid by its receipt after all."""
    submission.discrepancies.filter(kind=Discrepancy.Kind.ONLY_HERE).update(resolved_at=None, resolution="")


def resolve_only_there(submission: Submission, resolution: str) -> None:
    """A person has decided about the pay of what our page did not see."""
    open_ones = submission.discrepancies.filter(kind=Discrepancy.Kind.ONLY_THERE, resolved_at=None)
    open_ones.update(resolved_at=clock.now(), resolution=resolution)


def receipt_of(submission: Submission) -> str:
    """What the worker's last page shows, by which a person finds the submission again."""
    return f"{submission.pk}-{submission.assignment_id[-6:]}"


def differences(campaign: Campaign) -> list[dict[str, Any]]:
    """Every open difference, oldest first, JSON-ready, with what to do about it."""
    return [
        {
            "kind": row.kind,
            "submission": row.submission_id,
            "worker": row.submission.worker_id,
            "found_at": row.found_at.isoformat(),
            "detail": row.detail,
            "next": NEXT_STEPS[Discrepancy.Kind(row.kind)],
        }
        for row in open_differences(campaign)
    ]


def open_differences(campaign: Campaign) -> QuerySet[Discrepancy]:
    """Those that nobody has looked at, oldest first."""
    rows = Discrepancy.objects.filter(submission__campaign=campaign, resolved_at=None)
    return rows.select_related("submission").order_by("pk")


def counts(campaign: Campaign) -> dict[str, int]:
    """Open differences by kind."""
    rows = Discrepancy.objects.filter(submission__campaign=campaign, resolved_at=None)
    kinds = list(rows.values_list("kind", flat=True))
    return {str(kind): kinds.count(kind) for kind in Discrepancy.Kind}


@transaction.atomic
def settle_difference(campaign: Campaign, submission: int, *, why: str, who: str = "") -> int:
    """A person has looked at a submission's differences; returns how many were open."""
    rows = Discrepancy.objects.filter(submission=submission, submission__campaign=campaign, resolved_at=None)
    settled = rows.update(resolved_at=clock.now(), resolution=why.strip()[:200])
    if settled:
        log(campaign, f"difference from the crowd's list settled: submission {submission}", why=why, who=who)
    return settled


def _note(submission: Submission, kind: str, detail: dict[str, Any]) -> None:
    Discrepancy.objects.get_or_create(submission=submission, kind=kind, defaults={"detail": detail})
