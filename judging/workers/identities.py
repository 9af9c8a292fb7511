"""Finds our worker for a crowd's worker id, and decides whether a worker is refused new tasks."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.db import IntegrityError, transaction

from config.prepared_queries import Prepared
from judging.models import Campaign, CrowdIdentity, Exclusion, Worker
from judging.workers.unfinished import unfinished_of
from judging.workers.work_history import Work, submissions_of, taken_by


def crowd_namespace(campaign: Campaign) -> str:
    """Return the crowd and endpoint, as ``mturk:https://…``, where the campaign's worker ids are unique."""
    return f"{campaign.crowd}:{campaign.endpoint}"


def known_worker(crowd: str, crowd_worker_id: str) -> Worker | None:
    """Return our worker with this worker id at the crowd, or None if we do not know the id."""
    identity = _IDENTITY.first(crowd, crowd_worker_id)
    return identity.worker if identity else None


_IDENTITY = Prepared(
    lambda crowd, name: CrowdIdentity.objects.filter(crowd=crowd, crowd_worker_id=name).select_related(
        "worker"
    ),
    words=(0, 1),
)


class Newcomer(NamedTuple):
    """A worker who arrives for the first time and is stored only when a task is assigned.

    Otherwise URLs with made-up worker ids would leave rows behind.
    """

    crowd: str
    crowd_worker_id: str
    pk: None = None

    def store(self) -> Worker:
        """Store and return the worker. Raises IntegrityError if a concurrent request has just stored this worker."""
        worker = Worker.objects.create()
        CrowdIdentity.objects.create(worker=worker, crowd=self.crowd, crowd_worker_id=self.crowd_worker_id)
        return worker


def worker_for(crowd: str, crowd_worker_id: str) -> Worker:
    """Return our worker with this worker id at the crowd, created if needed. Concurrent requests create only one."""
    return known_worker(crowd, crowd_worker_id) or new_worker(crowd, crowd_worker_id)


def new_worker(crowd: str, crowd_worker_id: str) -> Worker:
    """Create and return our worker for a worker id, or return the one that a concurrent request has just created."""
    try:
        with transaction.atomic():
            return Newcomer(crowd, crowd_worker_id).store()
    except IntegrityError:
        return CrowdIdentity.objects.get(crowd=crowd, crowd_worker_id=crowd_worker_id).worker


def declare_simulated(crowd: str, crowd_worker_ids: Iterable[str]) -> list[Worker]:
    """Mark these workers as simulated before they work, so that all their judgments are marked. Return them."""
    workers = [worker_for(crowd, crowd_id) for crowd_id in crowd_worker_ids]
    Worker.objects.filter(pk__in=[worker.pk for worker in workers]).update(simulated=True)
    return workers


def refusal_reason(
    campaign: Campaign, worker: Worker | None, work: Sequence[Work] | None = None
) -> str | None:
    """Return why this worker gets no new task of the campaign now, or None if the worker can get one.

    ``worker`` is None for a new worker. ``work`` is the worker's work in the campaign, if it was already read. The
    reason is one of ``not-open``, ``paused``, ``closed``, ``excluded``, ``excluded-elsewhere``, ``enough-tasks``,
    ``withdrawn``, ``simulated-only``, ``unfinished``.
    """
    if campaign.state not in Campaign.OFFERING:
        reasons = {"paused": "paused", "piloted": "paused", "closing": "closed", "closed": "closed"}
        return reasons.get(campaign.state, "not-open")
    if worker and (reason := _reason_excluded(campaign, worker)):
        return reason
    if (campaign.placeholder_text or campaign.rehearsal_of_id) and not (worker and worker.simulated):
        return "simulated-only"
    if worker is None:
        return None
    work = submissions_of(campaign, worker) if work is None else work
    if unfinished_of(campaign, worker, work).stopped:
        return "unfinished"
    return "enough-tasks" if taken_by(work) >= campaign.max_tasks_per_worker else None


_EXCLUSIONS = Prepared(
    lambda worker: Exclusion.objects.standing().filter(worker=worker).values_list("campaign_id", "rule")
)


def _reason_excluded(campaign: Campaign, worker: Worker) -> str | None:
    # This runs for every new task, so workers who were never excluded need only this one query.
    standing = _EXCLUSIONS(worker.pk)
    here = {rule == Exclusion.WITHDRAWN for known, rule in standing if known == campaign.pk}
    if False in here:
        return "excluded"
    if here:
        return "withdrawn"
    if not campaign.refuse_excluded_elsewhere or not standing:
        return None
    carried = Exclusion.objects.carried_over(campaign.collection_id).filter(worker=worker)
    return "excluded-elsewhere" if carried.exists() else None
