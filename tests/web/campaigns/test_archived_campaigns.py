"""Archived campaigns and rehearsals: archiving, restoring, and their place in lists."""

import pytest
from django.test import Client

from config import clock
from judging.campaign.gold_pairs import needed_gold
from judging.launch.archive import archive
from judging.models import Campaign
from tests.web.campaign_cast import text_of
from web.common.campaign_rows import CampaignLists

LISTS = ("/", "/campaigns/", "/collections/fair-collection/campaigns/")


@pytest.fixture
def spring(fair, manager) -> Campaign:
    """A second campaign, a draft."""
    return fair.draft_of("spring")


def lists_of(manager: Client, address: str) -> CampaignLists:
    return manager.get(address).context["lists"]


def names(rows) -> list[str]:
    return [one.campaign.name for one in rows]


def test_an_archived_draft_leaves_the_lists_and_comes_back(manager, spring):
    assert all(">spring</a>" in text_of(manager.get(address)) for address in LISTS)

    said = text_of(manager.post("/campaigns/spring/steps/archive/", {"why": "not now"}, follow=True))

    assert "spring is now archived." in said
    assert "Restore it" in said
    assert ">spring</a>" not in text_of(manager.get("/"))
    for address in LISTS[1:]:
        lists = lists_of(manager, address)
        assert (names(lists.current), names(lists.archived)) == (["fair"], ["spring"])
        page = text_of(manager.get(address))
        assert "<summary>Archived" in page
        assert page.index(">fair</a>") < page.index("<summary>Archived") < page.index(">spring</a>")

    assert "among the other campaigns again" in text_of(manager.get("/campaigns/spring/steps/restore/"))
    manager.post("/campaigns/spring/steps/restore/")

    assert "<summary>Archived" not in text_of(manager.get("/campaigns/"))
    assert ">spring</a>" in text_of(manager.get("/"))


def test_rehearsals_have_their_own_section_and_are_archived_with_their_campaign(fair, manager, spring):
    copy = fair.draft_of("spring-rehearsal")
    Campaign.objects.filter(pk=copy.pk).update(
        rehearsal_of=spring, state="closed", launched_at=clock.now(), closed_at=clock.now()
    )

    lists = lists_of(manager, "/collections/fair-collection/campaigns/")
    assert (names(lists.current), names(lists.rehearsals)) == (["spring", "fair"], ["spring-rehearsal"])
    assert "spring-rehearsal" not in text_of(manager.get("/"))

    archive(spring)

    lists = lists_of(manager, "/collections/fair-collection/campaigns/")
    assert (lists.rehearsals, names(lists.archived)) == ([], ["spring-rehearsal", "spring"])


def test_a_running_campaign_offers_no_archive_and_says_why_not(campaign, manager):
    assert "/steps/archive/" not in text_of(manager.get("/campaigns/fair/"))

    assert "fair cannot be archived: it is open." in text_of(manager.get("/campaigns/fair/steps/archive/"))
    reply = manager.post("/campaigns/fair/steps/archive/", follow=True)

    assert "cannot be archived: it is open" in text_of(reply)
    campaign.refresh_from_db()
    assert campaign.archived_at is None


def test_an_archived_draft_says_so_where_it_is_prepared(manager, spring):
    archive(spring)

    assert "This campaign is archived." in text_of(manager.get("/campaigns/spring/prepare/texts/"))
    page = text_of(manager.get("/campaigns/spring/"))
    assert "/campaigns/spring/steps/restore/" in page
    assert "/campaigns/spring/steps/close/" not in page


def test_gold_pairs_of_an_archived_draft_need_no_attention(fair, manager, spring):
    fair.add_gold(spring, 2)
    spring.gold_pairs.update(state="proposed")
    assert "2 gold pairs to accept" in text_of(manager.get("/"))
    fair.add_gold(spring, needed_gold(spring))
    assert "to accept" not in text_of(manager.get("/"))  # enough others are accepted
    spring.gold_pairs.update(state="proposed")

    archive(spring)

    assert "gold pairs to accept" not in text_of(manager.get("/"))
