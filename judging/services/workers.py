"""Who works: from a crowd's worker id to our worker, and who may not work."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import IntegrityError, transaction

from judging.models import Campaign, CrowdIdentity, Exclusion, Submission, Worker

#: Submissions that use up one of a worker's tasks.
TAKEN = [Submission.State.HELD, Submission.State.FINISHED, Submission.State.SUBMITTED]


def crowd_of(campaign: Campaign) -> str:
    """The crowd whose worker ids a campaign knows: module and endpoint."""
    return f"{campaign.crowd}:{campaign.endpoint}"


def worker_for(crowd: str, crowd_worker_id: str) -> Worker:
    """Our worker for a crowd's id; made at the first meeting, once whoever else asks at the same time."""
    known = CrowdIdentity.objects.select_related("worker").filter(
        crowd=crowd, crowd_worker_id=crowd_worker_id
    )
    if identity := known.first():
        return identity.worker
    try:
        with transaction.atomic():
            worker = Worker.objects.create()
            CrowdIdentity.objects.create(worker=worker, crowd=crowd, crowd_worker_id=crowd_worker_id)
            return worker
    except IntegrityError:
        return known.get().worker


def declare_simulated(crowd: str, crowd_worker_ids: Iterable[str]) -> list[Worker]:
    """Mark these workers as simulated, before they work: all their judgments will say so."""
    workers = [worker_for(crowd, crowd_id) for crowd_id in crowd_worker_ids]
    Worker.objects.filter(pk__in=[worker.pk for worker in workers]).update(simulated=True)
    return workers


def refusal_reason(campaign: Campaign, worker: Worker) -> str | None:
    """Why this worker gets no new task of the campaign now; None when nothing speaks against it.

    One of ``not-open``, ``paused``, ``closed``, ``excluded``, ``excluded-elsewhere``, ``enough-tasks``,
    ``withdrawn``, ``simulated-only``.
    """
    if campaign.state not in Campaign.OFFERING:
        reasons = {"paused": "paused", "piloted": "paused", "closing": "closed", "closed": "closed"}
        return reasons.get(campaign.state, "not-open")
    # Every taking of a task comes by here: one question to the database, not one for each kind of exclusion.
    standing = Exclusion.objects.standing().filter(worker=worker).values_list("campaign_id", "rule")
    here = {rule == Exclusion.WITHDRAWN for known, rule in standing if known == campaign.pk}
    if False in here:
        return "excluded"
    if here:
        return "withdrawn"
    if campaign.refuse_excluded_elsewhere and any(rule != Exclusion.WITHDRAWN for _, rule in standing):
        return "excluded-elsewhere"
    if (campaign.placeholder_text or campaign.rehearsal_of_id) and not worker.simulated:
        return "simulated-only"
    taken = Submission.objects.filter(campaign=campaign, worker=worker, state__in=TAKEN).count()
    return "enough-tasks" if taken >= campaign.max_tasks_per_worker else None
