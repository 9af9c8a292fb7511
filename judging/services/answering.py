"""A person's answer to an appeal: what came of it, and perhaps a reinstatement."""

from __future__ import annotations

from django.db import transaction

from judging.errors import BadInput
from judging.models import Appeal, Campaign
from judging.services.campaigns import log
from judging.services.reinstating import Reinstated, reinstate_worker
from judging.services.voices import settle


@transaction.atomic
def answer_appeal(
    campaign: Campaign, appeal: Appeal, *, why: str, reinstate: bool, who: str = ""
) -> Reinstated | None:
    """Settle the appeal with ``why``, which the worker reads; take the exclusion back when ``reinstate``.

    Both or nothing; the next collection tells the worker. Raises CampaignRefused without words, when the appeal
    was settled before, or when nothing stands that could be taken back.
    """
    if not why.strip():
        raise BadInput("An answer needs words; the worker reads them.")
    settle(campaign, f"a{appeal.pk}", why=why, who=who)
    done = reinstate_worker(campaign, appeal.worker, why=why, who=who) if reinstate else None
    log(campaign, f"appeal of worker {appeal.worker_id} answered", why=why, who=who)
    return done
