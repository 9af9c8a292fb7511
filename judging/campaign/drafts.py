"""Rename or delete a draft that nobody has worked on. Judged campaigns are never deleted."""

from django.db import IntegrityError, transaction
from django.db.models import F

from config.plurals import many
from judging.campaign.campaigns import log_change
from judging.errors import CampaignRefused
from judging.models import Campaign, GoldPair
from pooling.collections import members
from pooling.collections.name_rules import check_name


def rename_draft(campaign: Campaign, name: str, *, who: str = "") -> None:
    """Rename the draft, which changes its URLs. Raises CampaignRefused, or PoolingError for an invalid name."""
    before, name = campaign.name, name.strip()
    if name == before:
        return
    check_name(name)
    try:
        with transaction.atomic():
            _lock_draft(campaign)
            Campaign.objects.filter(pk=campaign.pk).update(name=name)
            log_change(campaign, "renamed", why=f"Previous name: {before}.", who=who)
    except IntegrityError:
        raise CampaignRefused(f"A campaign called {name!r} already exists.", "Choose another name.") from None
    campaign.refresh_from_db()


@transaction.atomic
def delete_draft(campaign: Campaign, *, who: str = "") -> None:
    """Delete the draft with its pairs, tasks, gold pairs, texts and log; the collection logs the deletion.

    Raises CampaignRefused if the campaign was posted, or for one of the :func:`reasons_to_keep`.
    """
    _lock_draft(campaign)
    if reasons := reasons_to_keep(campaign):
        raise CampaignRefused(
            f"Campaign {campaign.name} cannot be deleted: {'; '.join(reasons)}.", "Close it instead."
        )
    members.log(campaign.collection, f"draft campaign {campaign.name} deleted", who=who)
    campaign.delete()


def reasons_to_keep(campaign: Campaign) -> list[str]:
    """Return the reasons to keep the draft (opened trial tasks, rehearsals); empty if it can be deleted."""
    reasons = []
    if seen := campaign.submissions.count():
        reasons.append(f"{many(seen, 'task was', 'tasks were')} opened in a trial")
    if copies := campaign.rehearsals.count():
        reasons.append(f"it has {many(copies, 'rehearsal')}")
    return reasons


def count_contents(campaign: Campaign) -> dict[str, int]:
    """Count the pairs, tasks and accepted gold pairs that a deletion would remove."""
    accepted = campaign.gold_pairs.filter(state=GoldPair.State.ACCEPTED)
    return {"pairs": campaign.pairs.count(), "tasks": campaign.tasks.count(), "gold": accepted.count()}


def is_untouched(campaign: Campaign) -> bool:
    """Return whether this is a draft that was never posted, so that no crowd uses its name."""
    own = campaign.pool_id is not None and campaign.rehearsal_of_id is None
    return own and campaign.launched_at is None and campaign.state in Campaign.BEFORE_LAUNCH


def _lock_draft(campaign: Campaign) -> None:
    """Lock the row, so that a concurrent launch waits. Raises CampaignRefused unless :func:`is_untouched`."""
    Campaign.objects.filter(pk=campaign.pk).update(seed=F("seed"))
    now = Campaign.objects.filter(pk=campaign.pk).first()
    if now is None or not is_untouched(now):
        raise CampaignRefused(
            f"Campaign {campaign.name} is no longer a draft.",
            "Its name and records are kept. To end it, close it.",
        )
