"""Worker identities: find our worker for a crowd's worker id, and decide on refusals."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q

from judging.models import Campaign, Choice, CrowdIdentity, Exclusion, Submission, Worker
from judging.workers.unfinished import unfinished_of

#: States of submissions that count toward a worker's limit of tasks.
TAKEN = [Submission.State.HELD, Submission.State.FINISHED, Submission.State.SUBMITTED]


def crowd_of(campaign: Campaign) -> str:
    """Return the namespace of a campaign's worker ids: the crowd's module and endpoint."""
    return f"{campaign.crowd}:{campaign.endpoint}"


def known_worker(crowd: str, crowd_worker_id: str) -> Worker | None:
    """Return our worker for a crowd's id, or None for a new one."""
    known = CrowdIdentity.objects.filter(crowd=crowd, crowd_worker_id=crowd_worker_id)
    identity = known.select_related("worker").first()
    return identity.worker if identity else None


def worker_for(crowd: str, crowd_worker_id: str) -> Worker:
    """Get our worker for a crowd's id, or create one; concurrent requests create only one."""
    return known_worker(crowd, crowd_worker_id) or new_worker(crowd, crowd_worker_id)


def new_worker(crowd: str, crowd_worker_id: str) -> Worker:
    """Create our worker for a crowd's id; if a concurrent request just did, return that one."""
    try:
        with transaction.atomic():
            worker = Worker.objects.create()
            CrowdIdentity.objects.create(worker=worker, crowd=crowd, crowd_worker_id=crowd_worker_id)
            return worker
    except IntegrityError:
        return CrowdIdentity.objects.get(crowd=crowd, crowd_worker_id=crowd_worker_id).worker


def declare_simulated(crowd: str, crowd_worker_ids: Iterable[str]) -> list[Worker]:
    """Mark these workers as simulated before they work, so that all their judgments are marked."""
    workers = [worker_for(crowd, crowd_id) for crowd_id in crowd_worker_ids]
    Worker.objects.filter(pk__in=[worker.pk for worker in workers]).update(simulated=True)
    return workers


def refusal_reason(campaign: Campaign, worker: Worker | None) -> str | None:
    """Return why this worker (None: a new one) gets no new task of the campaign now, or None if there is no reason.

    The reason is one of ``not-open``, ``paused``, ``closed``, ``excluded``, ``excluded-elsewhere``,
    ``enough-tasks``, ``withdrawn``, ``simulated-only``, ``unfinished``.
    """
    if campaign.state not in Campaign.OFFERING:
        reasons = {"paused": "paused", "piloted": "paused", "closing": "closed", "closed": "closed"}
        return reasons.get(campaign.state, "not-open")
    if worker and (reason := _reason_excluded(campaign, worker)):
        return reason
    if (campaign.placeholder_text or campaign.rehearsal_of_id) and not (worker and worker.simulated):
        return "simulated-only"
    if worker and unfinished_of(campaign, worker).stopped:
        return "unfinished"
    return "enough-tasks" if worker and has_enough(campaign, worker) else None


def _reason_excluded(campaign: Campaign, worker: Worker) -> str | None:
    # Every new task passes here, so use a single query for workers who were never excluded.
    standing = list(Exclusion.objects.standing().filter(worker=worker).values_list("campaign_id", "rule"))
    here = {rule == Exclusion.WITHDRAWN for known, rule in standing if known == campaign.pk}
    if False in here:
        return "excluded"
    if here:
        return "withdrawn"
    if not campaign.refuse_excluded_elsewhere or not standing:
        return None
    carried = Exclusion.objects.carried_over(campaign.collection_id).filter(worker=worker)
    return "excluded-elsewhere" if carried.exists() else None


def has_enough(campaign: Campaign, worker: Worker, *, beside: Submission | None = None) -> bool:
    """Return whether the worker has the campaign's maximum number of tasks (apart from ``beside``).

    A held task without a choice does not count if only an address says whose it is. Otherwise anybody who knows the
    worker's id could use up the limit.
    """
    taken = Submission.objects.filter(campaign=campaign, worker=worker, state__in=TAKEN)
    made = Exists(Choice.objects.filter(slot__submission=OuterRef("pk")))
    sure = ~Q(state=Submission.State.HELD) | Q(place=None) | Q(taken_at__isnull=False) | Q(made)
    return taken.filter(sure).exclude(pk=beside.pk if beside else 0).count() >= campaign.max_tasks_per_worker
