"""Archive campaigns that are not running, so that lists show them under Archived, and restore archived campaigns."""

from django.db import transaction

from config import clock
from judging.campaign.campaigns import log_change
from judging.errors import CampaignRefused
from judging.grading.crowd_grading import withdraw_taken_topics
from judging.launch.closure import pending_work
from judging.models import Campaign


def archive(campaign: Campaign, *, why: str = "", who: str = "") -> None:
    """Archive the campaign; nothing else about it changes. Archiving it again changes nothing.

    Raises CampaignRefused while the campaign, its pilot or a rehearsal of it is running.
    """
    if reason := reason_not_at_rest(campaign):
        raise CampaignRefused(
            f"Campaign {campaign.name} cannot be archived: {reason}.",
            "Only drafts and closed campaigns can be archived.",
        )
    at_rest = Campaign.objects.filter(pk=campaign.pk, state__in=Campaign.AT_REST)
    with transaction.atomic():
        if at_rest.filter(archived_at=None).update(archived_at=clock.now()):
            log_change(campaign, "archived", why=why, who=who)
    campaign.refresh_from_db()
    if campaign.archived_at is None:  # it was launched in the meantime
        raise CampaignRefused(f"Campaign {campaign.name} is {campaign.state}, so it cannot be archived.")


def restore(campaign: Campaign, *, why: str = "", who: str = "") -> None:
    """Show the campaign in the normal lists again. Restoring it twice changes nothing.

    While a draft is archived, others can take the topics that its workers would grade. Such topics are removed from
    the draft's tasks.
    """
    with transaction.atomic():
        archived = Campaign.objects.filter(pk=campaign.pk, archived_at__isnull=False)
        if archived.update(archived_at=None):
            log_change(campaign, "restored", why=why, who=who)
            if campaign.grading_id and campaign.state in Campaign.BEFORE_LAUNCH:
                withdraw_taken_topics(campaign)
    campaign.refresh_from_db()


def reason_not_at_rest(campaign: Campaign) -> str:
    """Return why the campaign cannot be archived yet, or an empty string if it can."""
    if campaign.state not in Campaign.AT_REST:
        return f"it is {campaign.state}"
    if campaign.state == Campaign.State.PILOTED and (pending := pending_work(campaign)):
        return f"its pilot waits for {pending.words()}"
    rehearsals = campaign.rehearsals.filter(launched_at__isnull=False).exclude(state=Campaign.State.CLOSED)
    if running := rehearsals.first():
        return f"its rehearsal {running.name} is {running.state}"
    return ""
