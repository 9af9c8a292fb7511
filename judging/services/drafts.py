"""A draft that nobody has worked on is renamed or deleted. What was judged is never deleted."""

from __future__ import annotations

from django.db import IntegrityError, transaction
from django.db.models import F

from config.plurals import many
from judging.errors import CampaignRefused
from judging.models import Campaign, GoldPair
from judging.services.campaigns import log
from pooling.services import members
from pooling.services.naming import check_name


def rename_draft(campaign: Campaign, name: str, *, who: str = "") -> None:
    """Give the campaign another name, which is in addresses. Raises CampaignRefused, PoolingError."""
    before, name = campaign.name, name.strip()
    if name == before:
        return
    check_name(name)
    try:
        with transaction.atomic():
            _hold(campaign)
            Campaign.objects.filter(pk=campaign.pk).update(name=name)
            log(campaign, "renamed", why=f"It was called {before}.", who=who)
    except IntegrityError:
        raise CampaignRefused(
            f"There is a campaign called {name!r} already.", "Choose another name."
        ) from None
    campaign.refresh_from_db()


@transaction.atomic
def delete_draft(campaign: Campaign, *, who: str = "") -> None:
    """Delete the campaign with its pairs, tasks, test pairs, texts and log; the collection keeps that it was there.

    Raises CampaignRefused where something rests on it.
    """
    _hold(campaign)
    if reasons := what_keeps(campaign):
        raise CampaignRefused(f"{campaign.name} stays: {'; '.join(reasons)}.", "Close it in place of that.")
    members.log(campaign.collection, f"draft campaign {campaign.name} deleted", who=who)
    campaign.delete()


def what_keeps(campaign: Campaign) -> list[str]:
    """Why the draft cannot be deleted: what somebody, or simulated workers, did with it."""
    reasons = []
    if seen := campaign.submissions.count():
        reasons.append(f"{many(seen, 'task was', 'tasks were')} opened in a trial")
    if copies := campaign.rehearsals.count():
        reasons.append(
            f"{many(copies, 'rehearsal')} of it, with judgments, {'is' if copies == 1 else 'are'} kept"
        )
    return reasons


def what_goes(campaign: Campaign) -> dict[str, int]:
    """How much a deletion would take along."""
    accepted = campaign.gold_pairs.filter(state=GoldPair.State.ACCEPTED)
    return {"pairs": campaign.pairs.count(), "tasks": campaign.tasks.count(), "gold": accepted.count()}


def is_untouched(campaign: Campaign) -> bool:
    """Whether nothing of it was ever offered: its name stands in no place, message or list at a crowd."""
    own = campaign.pool_id is not None and campaign.rehearsal_of_id is None
    return own and campaign.launched_at is None and campaign.state in Campaign.BEFORE_LAUNCH


def _hold(campaign: Campaign) -> None:
    """Write the row, so that a launch at the same time waits; raises CampaignRefused for one that was offered."""
    Campaign.objects.filter(pk=campaign.pk).update(seed=F("seed"))
    now = Campaign.objects.filter(pk=campaign.pk).first()
    if now is None or not is_untouched(now):
        raise CampaignRefused(
            f"{campaign.name} is no draft any more.", "Its name and its records stay; close it to end it."
        )
