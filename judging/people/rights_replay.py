"""Reapply erasures and withdrawals that a restored backup lacks, because they were requested after it."""

import logging
from dataclasses import dataclass, field
from datetime import datetime

from config.sweep import Sweep
from judging.errors import CampaignRefused
from judging.models import Campaign, CrowdIdentity, RightsRequest, Worker
from judging.people import rights_journal
from judging.people.rights import forget_worker, has_withdrawn, withdraw_worker

logger = logging.getLogger(__name__)


@dataclass
class Reapplied:
    """The result of reapplying the requests in the journal.

    - ``applied``: the number of requests reapplied
    - ``standing``: the number already in effect
    - ``unknown``: the number about unknown workers or campaigns
    - ``refused``: the refusals of requests that could not be reapplied
    """

    applied: int = 0
    standing: int = 0
    unknown: int = 0
    refused: list[str] = field(default_factory=list)


def reapply_rights() -> Reapplied:
    """Apply the requests in the journal that are not in effect in the database. Safe to repeat.

    A worker is found by number and creation time, because a restored database can reuse numbers. A failing entry does
    not stop the others; SweepFailed is raised at the end.
    """
    done, sweep = Reapplied(), Sweep("Reapplying rights after a restore")
    for entry in rights_journal.journal_entries():
        with sweep.step(f"worker {entry.worker}"):
            _reapply(entry, done)
    sweep.end()
    return done


def _reapply(entry: rights_journal.Entry, done: Reapplied) -> None:
    since = datetime.fromisoformat(entry.since)
    worker = Worker.objects.filter(pk=entry.worker, created_at=since).first()
    campaign = Campaign.objects.filter(name=entry.campaign).first() if entry.campaign else None
    if worker is None or (entry.campaign and campaign is None):
        done.unknown += 1
    elif _is_in_effect(worker, campaign):
        done.standing += 1
    else:
        try:
            _reapply_request(entry, worker, campaign)
            done.applied += 1
        except CampaignRefused as refusal:
            done.refused.append(str(refusal))
            logger.warning("A request in %s could not be reapplied yet: %s", rights_journal.NAME, refusal)


def _is_in_effect(worker: Worker, campaign: Campaign | None) -> bool:
    if campaign:
        return has_withdrawn(campaign, worker)
    return worker.forgotten_at is not None and not CrowdIdentity.objects.filter(worker=worker).exists()


def _reapply_request(entry: rights_journal.Entry, worker: Worker, campaign: Campaign | None) -> None:
    why = f"requested on {entry.at[:10]}; reapplied after a restore"
    if campaign:
        withdraw_worker(campaign, worker, why=why, late=True)
    else:
        forget_worker(worker, why=why, what=RightsRequest.What(entry.what))
