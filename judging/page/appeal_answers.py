"""Answers to appeals, with an optional reinstatement."""

from django.db import transaction

from judging.campaign.campaigns import log_change
from judging.errors import BadInput
from judging.models import Appeal, Campaign
from judging.page.reports_and_appeals import settle_report_or_appeal
from judging.people.exclusions import Reinstated, reinstate_worker


@transaction.atomic
def answer_appeal(
    campaign: Campaign, appeal: Appeal, *, why: str, reinstate: bool, who: str = ""
) -> Reinstated | None:
    """Settle the appeal with the answer ``why``, and reverse the exclusion if ``reinstate`` is set.

    Either both changes happen or neither. The next collection notifies the worker. Raises BadInput for an empty
    answer, and CampaignRefused if the appeal is already settled or there is no exclusion to reverse.
    """
    if not why.strip():
        raise BadInput("Write an answer. The worker reads it.")
    settle_report_or_appeal(campaign, f"a{appeal.pk}", why=why, who=who)
    done = reinstate_worker(campaign, appeal.worker, why=why, who=who) if reinstate else None
    log_change(campaign, f"appeal of worker {appeal.worker_id} answered", why=why, who=who)
    return done
