"""Differences between our records of submissions and the crowd's.

Work was submitted only at the crowd, or completed only on our page, or the two records have different answers. The
crowd's list determines who submitted; our record of each click determines the choice. Each difference is listed, and
a person reviews it. Pay for work that our page did not record is held (judging/money/held_pay.py).
"""

from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from config import clock
from config.row_keys import row_key
from judging.campaign.campaigns import log_change
from judging.models import Campaign, Discrepancy, Submission
from judging.tasks.answers import FIELD, final_choices

NEXT_STEPS = {
    Discrepancy.Kind.ONLY_THERE: "Choices that our page did not save do not count, and their pay is held until a "
    "person decides. Check whether the page was reachable at that time.",
    Discrepancy.Kind.ONLY_HERE: "If the crowd lists this work later, it is collected as usual. Otherwise, pay it by "
    "its receipt.",
    Discrepancy.Kind.DIFFERENT: "The choice clicked on our page counts. Many such differences hint at a broken page.",
}


def note_only_there(submission: Submission, *, answered: int, saved: int) -> None:
    """Record that our page ``saved`` fewer pairs than the crowd's form ``answered``, or none at all."""
    _record_discrepancy(submission, Discrepancy.Kind.ONLY_THERE, {"answered": answered, "saved": saved})


def note_differences(submission: Submission, answers: dict[str, str]) -> None:
    """Record slots whose answer in the crowd's form differs from ours. Slots missing from the form are ignored."""
    ours = final_choices(submission)
    different = {}
    for slot in submission.slots.order_by("number"):
        there, here = answers.get(f"{FIELD}{slot.number}", ""), ours.get(slot.pk)
        if there and here and there in submission.campaign.answers and there != here.side:
            different[str(slot.number)] = {"ours": here.side, "theirs": there}
    if different:
        _record_discrepancy(submission, Discrepancy.Kind.DIFFERENT, {"slots": different})


def note_only_here(campaign: Campaign) -> int:
    """Record tasks that were completed on our page but that the crowd did not list in time; return how many are new.

    Trial tasks are left out.
    """
    missing = Submission.objects.filter(campaign=campaign, state=Submission.State.LAPSED)
    missing = missing.exclude(finished_at=None).exclude(standing=Submission.Standing.TRIAL)
    fresh = missing.exclude(discrepancies__kind=Discrepancy.Kind.ONLY_HERE)
    for submission in fresh:
        _record_discrepancy(submission, Discrepancy.Kind.ONLY_HERE, {"receipt": receipt_of(submission)})
    return len(fresh)


def resolve_only_here(submission: Submission, resolution: str = "the crowd lists it now") -> None:
    """Resolve an only-here difference, because the crowd lists the work after all or it was paid by receipt."""
    _resolve(submission, Discrepancy.Kind.ONLY_HERE, resolution)


def reopen_only_here(submission: Submission) -> None:
    """Reopen the discrepancy of work that only we recorded, because its payment by receipt was undone."""
    submission.discrepancies.filter(kind=Discrepancy.Kind.ONLY_HERE).update(resolved_at=None, resolution="")


def resolve_only_there(submission: Submission, resolution: str) -> None:
    """Resolve an only-there difference, because a person decided about pay for work that our page did not save."""
    _resolve(submission, Discrepancy.Kind.ONLY_THERE, resolution)


def _resolve(submission: Submission, kind: str, resolution: str) -> None:
    open_ones = submission.discrepancies.filter(kind=kind, resolved_at=None)
    open_ones.update(resolved_at=clock.now(), resolution=resolution)


def receipt_of(submission: Submission) -> str:
    """Return the receipt shown on the worker's last page, which identifies the submission."""
    return f"{submission.pk}-{submission.assignment_id[-6:]}"


def find_by_receipt(submissions: QuerySet[Submission], receipt: str) -> Submission | None:
    """Return the submission with this receipt (:func:`receipt_of`) from ``submissions``, or None."""
    number, _, end = receipt.strip().partition("-")
    return submissions.filter(pk=row_key(number), assignment_id__endswith=end).first() if end else None


def difference_rows(campaign: Campaign) -> list[dict[str, Any]]:
    """Return the campaign's open differences as dicts for JSON, each with its next step, oldest first."""
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
    """Return the campaign's unresolved differences, oldest first."""
    rows = Discrepancy.objects.filter(submission__campaign=campaign, resolved_at=None)
    return rows.select_related("submission").order_by("pk")


def count_open_differences(campaign: Campaign) -> dict[str, int]:
    rows = Discrepancy.objects.filter(submission__campaign=campaign, resolved_at=None)
    kinds = list(rows.values_list("kind", flat=True))
    return {str(kind): kinds.count(kind) for kind in Discrepancy.Kind}


@transaction.atomic
def settle_difference(campaign: Campaign, submission: int, *, why: str, who: str = "") -> int:
    """Resolve a submission's open differences after a person reviewed them; return their number."""
    rows = Discrepancy.objects.filter(submission=submission, submission__campaign=campaign, resolved_at=None)
    settled = rows.update(resolved_at=clock.now(), resolution=why.strip()[:200])
    if settled:
        log_change(
            campaign, f"difference from the crowd's list settled: submission {submission}", why=why, who=who
        )
    return settled


def _record_discrepancy(submission: Submission, kind: str, detail: dict[str, Any]) -> None:
    Discrepancy.objects.get_or_create(submission=submission, kind=kind, defaults={"detail": detail})
