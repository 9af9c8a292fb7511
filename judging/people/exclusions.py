"""People's decisions to exclude a worker, and to reverse an exclusion."""

from dataclasses import dataclass

from django.db import transaction
from django.db.models import QuerySet

from config import clock
from config.guidance import Action, Guidance
from config.row_keys import row_key
from judging.campaign.campaigns import log_change
from judging.errors import BadInput, CampaignRefused
from judging.intake.collection import settle_submission
from judging.intake.screened_work import exclude, standing_exclusion
from judging.models import Campaign, Exclusion, Submission, Worker
from judging.people.rights import has_withdrawn
from judging.tasks.lease_ends import lock_in_order
from judging.workers.unfinished import offer_tasks_again, unfinished_of

PERSON = "person"


@dataclass(frozen=True)
class Reinstated:
    """The effect of a reinstatement: numbers of submissions that count again, are surplus, or still do not count."""

    counted: int
    surplus: int
    other: int


def worker_of(campaign: Campaign, key: int | str) -> Worker:
    """Return the worker of the campaign with this number (our key) or this id at the crowd. Raises BadInput."""
    number = row_key(str(key))
    named = {"pk": number} if number else {"identity__crowd_worker_id": key}
    worker = Worker.objects.filter(**named, submissions__campaign=campaign).first()
    if worker is None:
        raise BadInput(
            f"No worker {key} has worked on {campaign.name}.",
            Guidance(
                Action("campaign_status", campaign.name, lead=""), " lists excluded workers by their numbers."
            ),
        )
    return worker


def exclude_worker(campaign: Campaign, worker: Worker, *, why: str, who: str = "") -> Exclusion:
    """Exclude a worker by a person's decision, with the same effect as an exclusion by the screening rule.

    Raises BadInput without a reason, and CampaignRefused if the worker is already excluded.
    """
    if not why.strip():
        raise BadInput("An exclusion needs a reason.", "Add a reason. It is stored with the decision.")
    if standing_exclusion(campaign, worker):
        raise CampaignRefused(f"Worker {worker.pk} is already excluded from {campaign.name}.")
    with transaction.atomic():
        exclusion = exclude(campaign, worker, PERSON, why.strip(), who=who)
        log_change(campaign, f"worker {worker.pk} excluded", why=why, who=who)
    return exclusion


@transaction.atomic
def reinstate_worker(campaign: Campaign, worker: Worker, *, why: str, who: str = "") -> Reinstated:
    """Reverse the worker's exclusion, which stays on record with who reversed it and why.

    A submission counts again if nobody is repeating or has repeated its task; otherwise its judgments are surplus.
    The failed gold answers behind the exclusion no longer count against this worker. A worker who was refused only
    for unfinished tasks is offered tasks again. Raises BadInput without a reason, and CampaignRefused if the worker
    is not excluded or has withdrawn the judgments.
    """
    if not why.strip():
        raise BadInput("A reinstatement needs a reason.", "Add a reason. It is stored with the decision.")
    if has_withdrawn(campaign, worker):
        raise CampaignRefused(f"Worker {worker.pk} withdrew their judgments, so they can never count again.")
    standing = Exclusion.objects.filter(campaign=campaign, worker=worker, reversed_at=None)
    if not standing.exists() and unfinished_of(campaign, worker).stopped:
        offer_tasks_again(campaign, worker, why=why.strip(), who=who)
        return Reinstated(0, 0, 0)
    changes = {"reversed_at": clock.now(), "reversed_by": who, "reversed_why": why.strip()}
    if not standing.update(**changes):
        raise CampaignRefused(f"Worker {worker.pk} is not excluded from {campaign.name}.")
    log_change(campaign, f"worker {worker.pk} reinstated", why=why, who=who)
    standings = count_again(
        campaign,
        Submission.objects.filter(campaign=campaign, worker=worker, standing=Submission.Standing.EXCLUDED),
    )
    counted = standings.count(Submission.Standing.COUNTED)
    surplus = standings.count(Submission.Standing.SURPLUS)
    return Reinstated(counted, surplus, len(standings) - counted - surplus)


def count_again(campaign: Campaign, work: QuerySet[Submission]) -> list[str]:
    """Decide again whether these excluded submissions count. Returns the new standing of each, in key order."""
    submissions = list(work.order_by("pk").select_related("worker", "task", "campaign"))
    keys = [submission.pk for submission in submissions]
    lock_in_order(work)
    Submission.objects.filter(pk__in=keys).update(standing=Submission.Standing.PENDING)
    for submission in submissions:
        submission.standing = Submission.Standing.PENDING
        if submission.collected_at:
            settle_submission(campaign, submission)
    return [submission.standing for submission in submissions]
