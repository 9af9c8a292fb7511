"""Decisions about workers that people make: to exclude one, and to take an exclusion back."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction
from django.db.models import QuerySet

from config import clock
from judging.errors import BadInput, CampaignRefused
from judging.models import Campaign, Exclusion, Submission, Worker
from judging.screening import Verdict
from judging.services.campaigns import log
from judging.services.collecting import settle
from judging.services.rights import has_withdrawn
from judging.services.screening_workers import exclude, standing_exclusion
from judging.services.unfinished import allow_again, unfinished_of

PERSON = "person"


@dataclass(frozen=True)
class Reinstated:
    """What a reinstatement did, in submissions: those that count again, and those kept as surplus."""

    counted: int
    surplus: int
    other: int


def worker_of(campaign: Campaign, key: int | str) -> Worker:
    """The campaign's worker with our number, or with this id at the crowd; raises CampaignRefused."""
    word = str(key)
    named = {"pk": int(word)} if word.isdecimal() and len(word) < 19 else {"identity__crowd_worker_id": word}
    worker = Worker.objects.filter(**named, submissions__campaign=campaign).first()
    if worker is None:
        raise BadInput(
            f"No worker {key} has worked on {campaign.name}.",
            f"manage.py campaign_status {campaign.name} lists excluded workers by their numbers.",
        )
    return worker


def exclude_worker(campaign: Campaign, worker: Worker, *, why: str, who: str = "") -> Exclusion:
    """Exclude a worker by a person's decision: what a failed gold pair does, with that person's reason.

    Raises CampaignRefused without a reason, or when the worker is excluded already.
    """
    if not why.strip():
        raise BadInput("An exclusion needs a reason.", "Say why; it is kept with the decision.")
    if standing_exclusion(campaign, worker):
        raise CampaignRefused(f"Worker {worker.pk} is excluded from {campaign.name} already.")
    with transaction.atomic():
        exclusion = exclude(campaign, worker, Verdict(True, PERSON, why.strip(), ()), [])
        Exclusion.objects.filter(pk=exclusion.pk).update(decided_by=who)
        log(campaign, f"worker {worker.pk} excluded", why=why, who=who)
    exclusion.refresh_from_db()
    return exclusion


@transaction.atomic
def reinstate_worker(campaign: Campaign, worker: Worker, *, why: str, who: str = "") -> Reinstated:
    """Take the worker's exclusion back; it stays on record, with who reversed it and why.

    Work whose task nobody has repeated counts again. Where a replacement holds or did the task, the replacement
    keeps it and the reinstated judgments are surplus. The gold pairs that the exclusion rested on say nothing against
    this worker any more. A worker who is refused for unfinished tasks alone is offered tasks again. Raises
    CampaignRefused without a reason or without an exclusion.
    """
    if not why.strip():
        raise BadInput("A reinstatement needs a reason.", "Say why; it is kept with the decision.")
    if has_withdrawn(campaign, worker):
        raise CampaignRefused(f"Worker {worker.pk} took the judgments back; they never count again.")
    standing = Exclusion.objects.filter(campaign=campaign, worker=worker, reversed_at=None)
    if not standing.exists() and unfinished_of(campaign, worker).stopped:
        allow_again(campaign, worker, why=why.strip(), who=who)
        return Reinstated(0, 0, 0)
    changes = {"reversed_at": clock.now(), "reversed_by": who, "reversed_why": why.strip()}
    if not standing.update(**changes):
        raise CampaignRefused(f"Worker {worker.pk} is not excluded from {campaign.name}.")
    log(campaign, f"worker {worker.pk} reinstated", why=why, who=who)
    standings = count_again(
        campaign,
        Submission.objects.filter(campaign=campaign, worker=worker, standing=Submission.Standing.EXCLUDED),
    )
    counted = standings.count(Submission.Standing.COUNTED)
    surplus = standings.count(Submission.Standing.SURPLUS)
    return Reinstated(counted, surplus, len(standings) - counted - surplus)


def count_again(campaign: Campaign, work: QuerySet[Submission]) -> list[str]:
    """Settle submissions that were set aside anew; returns the standing that each has now."""
    submissions = list(work.order_by("pk").select_related("worker", "task", "campaign"))
    keys = [submission.pk for submission in submissions]
    Submission.objects.filter(pk__in=keys).update(standing=Submission.Standing.PENDING)
    for submission in submissions:
        submission.standing = Submission.Standing.PENDING
        if submission.collected_at:
            settle(campaign, submission)
    return [submission.standing for submission in submissions]
