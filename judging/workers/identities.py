"""Worker identities: find our worker for a crowd's worker id, and decide on refusals."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.db import IntegrityError, transaction

from config.prepared_queries import Prepared
from judging.models import Campaign, CrowdIdentity, Exclusion, Worker
from judging.workers.unfinished import unfinished_of
from judging.workers.work_history import Work, submissions_of, taken_by


def crowd_namespace(campaign: Campaign) -> str:
    """Return the namespace of a campaign's worker ids: the crowd's module and endpoint."""
    return f"{campaign.crowd}:{campaign.endpoint}"


def known_worker(crowd: str, crowd_worker_id: str) -> Worker | None:
    """Return our worker for a crowd's id, or None for a new one."""
    identity = _IDENTITY.first(crowd, crowd_worker_id)
    return identity.worker if identity else None


_IDENTITY = Prepared(
    lambda crowd, name: CrowdIdentity.objects.filter(crowd=crowd, crowd_worker_id=name).select_related(
        "worker"
    ),
    words=(0, 1),
)


class Newcomer(NamedTuple):
    """A worker who arrives for the first time, and is stored only together with a task.

    Otherwise made-up names would leave rows behind.
    """

    crowd: str
    crowd_worker_id: str
    pk: None = None

    def store(self) -> Worker:
        """Store the worker. Raises IntegrityError if a concurrent request just did."""
        worker = Worker.objects.create()
        CrowdIdentity.objects.create(worker=worker, crowd=self.crowd, crowd_worker_id=self.crowd_worker_id)
        return worker


def worker_for(crowd: str, crowd_worker_id: str) -> Worker:
    """Get our worker for a crowd's id, or create one; concurrent requests create only one."""
    return known_worker(crowd, crowd_worker_id) or new_worker(crowd, crowd_worker_id)


def new_worker(crowd: str, crowd_worker_id: str) -> Worker:
    """Create our worker for a crowd's id; if a concurrent request just did, return that worker."""
    try:
        with transaction.atomic():
            return Newcomer(crowd, crowd_worker_id).store()
    except IntegrityError:
        return CrowdIdentity.objects.get(crowd=crowd, crowd_worker_id=crowd_worker_id).worker


def declare_simulated(crowd: str, crowd_worker_ids: Iterable[str]) -> list[Worker]:
    """Mark these workers as simulated before they work, so that all their judgments are marked."""
    workers = [worker_for(crowd, crowd_id) for crowd_id in crowd_worker_ids]
    Worker.objects.filter(pk__in=[worker.pk for worker in workers]).update(simulated=True)
    return workers


def refusal_reason(
    campaign: Campaign, worker: Worker | None, work: Sequence[Work] | None = None
) -> str | None:
    """Return why this worker (None: a new one) gets no new task of the campaign now, or None if there is no reason.

    ``work`` is the worker's work in the campaign, if already read.

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
    # Every new task passes here, so use a single query for workers who were never excluded.
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
