"""Archiving a campaign, restoring it, and what an archived one refuses."""

import pytest
from django.db import IntegrityError, transaction

from judging.campaign.rehearsal_copy import check_can_be_rehearsed
from judging.errors import CampaignRefused
from judging.launch.archive import archive, restore
from judging.launch.closure import close
from judging.launch.launches import launch_campaign
from judging.models import Campaign, Place


def test_a_restored_draft_is_as_it_was(fair):
    campaign = fair.draft()
    before = Campaign.objects.filter(pk=campaign.pk).values().get()

    archive(campaign, why="not now", who="ada")
    archived = campaign.archived_at
    restore(campaign, who="ada")

    assert archived is not None
    assert Campaign.objects.filter(pk=campaign.pk).values().get() == before
    steps = campaign.changes.order_by("pk").values_list("what", "why", "who")
    assert [*steps][-2:] == [("archived", "not now", "ada"), ("restored", "", "ada")]


def test_repeating_either_step_changes_nothing(fair):
    campaign = fair.draft()

    archive(campaign)
    first = campaign.archived_at
    archive(campaign)
    assert campaign.archived_at == first
    restore(campaign)
    restore(campaign)

    assert [*campaign.changes.order_by("pk").values_list("what", flat=True)][-2:] == ["archived", "restored"]


@pytest.mark.parametrize("state", sorted(set(Campaign.State) - set(Campaign.AT_REST)))
def test_a_campaign_at_work_is_not_archived(fair, state):
    campaign = fair.opened()
    Campaign.objects.filter(pk=campaign.pk).update(state=state)
    campaign.refresh_from_db()

    with pytest.raises(CampaignRefused, match=f"cannot be archived: it is {state}"):
        archive(campaign)

    with pytest.raises(IntegrityError), transaction.atomic():  # even if a caller forgets to check
        Campaign.objects.filter(pk=campaign.pk).update(archived_at=campaign.created_at)


def test_a_launch_that_came_first_wins(fair):
    campaign = fair.draft()
    Campaign.objects.filter(pk=campaign.pk).update(state=Campaign.State.OPEN)  # somebody else's

    with pytest.raises(CampaignRefused, match="is open, so it cannot be archived"):
        archive(campaign)


def test_a_pilot_is_waited_for_until_its_work_is_in(fair):
    campaign = fair.opened()
    Campaign.objects.filter(pk=campaign.pk).update(state=Campaign.State.PILOTED)
    campaign.refresh_from_db()

    with pytest.raises(CampaignRefused, match="its pilot waits for 4 places that the crowd still offers"):
        archive(campaign)
    Place.objects.update(state=Place.State.GONE)
    archive(campaign)

    assert campaign.archived_at


def test_a_draft_waits_for_its_rehearsal(fair):
    campaign, copy = fair.draft(), fair.draft_of("fair-rehearsal")
    copies = Campaign.objects.filter(pk=copy.pk)
    copies.update(rehearsal_of=campaign, state=Campaign.State.OPEN, launched_at=campaign.created_at)

    with pytest.raises(CampaignRefused, match="its rehearsal fair-rehearsal is open"):
        archive(campaign)
    copies.update(state=Campaign.State.CLOSED)
    archive(campaign)

    assert campaign.archived_at


def test_an_archived_draft_is_neither_launched_nor_rehearsed_nor_closed(fair, settings):
    settings.CROWD_ENDPOINT = settings.EMBEDDED_CROWD_ENDPOINT
    campaign = fair.draft()
    archive(campaign)

    for step in (launch_campaign, check_can_be_rehearsed, close):
        with pytest.raises(
            CampaignRefused, match=r"is archived\. Restore it first: manage\.py archive_campaign"
        ):
            step(campaign)

    campaign.refresh_from_db()
    assert (campaign.state, campaign.archived_at is None) == ("draft", False)
