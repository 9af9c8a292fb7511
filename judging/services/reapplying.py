"""After a restore: forgettings and withdrawals that were asked for since the backup are done again."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from datetime import datetime

from config.sweep import Sweep
from judging.errors import CampaignRefused
from judging.models import Campaign, CrowdIdentity, RightsRequest, Worker
from judging.services import rights_list
from judging.services.rights import forget_worker, has_withdrawn, withdraw_worker

logger = logging.getLogger(__name__)


@dataclass
class Reapplied:
    """How many wishes of the list were done again, stood already, or are of nobody here; and what refuses to be."""

    applied: int = 0
    standing: int = 0
    unknown: int = 0
    refused: list[str] = field(default_factory=list)


def reapply_rights() -> Reapplied:
    """Do again what the list beside the database says and the database does not know. Safe to repeat.

    A worker is found by number and time: numbers that a restored database gave out anew are somebody else's. An entry
    that fails holds up no other: SweepFailed is raised at the end.
    """
    done, sweep = Reapplied(), Sweep("Doing rights again after a restore")
    for entry in rights_list.entries():
        with sweep.step(f"worker {entry.worker}"):
            _reapply(entry, done)
    sweep.end()
    return done


def _reapply(entry: rights_list.Entry, done: Reapplied) -> None:
    since = datetime.fromisoformat(entry.since)
    worker = Worker.objects.filter(pk=entry.worker, created_at=since).first()
    campaign = Campaign.objects.filter(name=entry.campaign).first() if entry.campaign else None
    if worker is None or (entry.campaign and campaign is None):
        done.unknown += 1
    elif _stands(worker, campaign):
        done.standing += 1
    else:
        try:
            _again(entry, worker, campaign)
            done.applied += 1
        except CampaignRefused as refusal:
            done.refused.append(str(refusal))
            logger.warning("A wish of %s is not done again yet: %s", rights_list.NAME, refusal)


def _stands(worker: Worker, campaign: Campaign | None) -> bool:
    if campaign:
        return has_withdrawn(campaign, worker)
    return worker.forgotten_at is not None and not CrowdIdentity.objects.filter(worker=worker).exists()


def _again(entry: rights_list.Entry, worker: Worker, campaign: Campaign | None) -> None:
    why = f"asked for on {entry.at[:10]}; done again after a restore"
    if campaign:
        withdraw_worker(campaign, worker, why=why, late=True)
    else:
        forget_worker(worker, why=why, what=RightsRequest.What(entry.what))
