"""Renaming and deleting a draft campaign, as long as nobody has worked on it."""

import pytest
from django.urls import reverse

from judging.campaign.drafts import delete_draft, rename_draft
from judging.errors import CampaignRefused
from judging.launch.launches import launch_campaign
from judging.models import Campaign, CampaignChange, Pair, Posting
from judging.page.trials import start_trial, trial_link
from pooling.models import CollectionChange
from tests.judging.conftest import crowd as crowd
from tests.web.preparing_cast import (
    DRAFT,
    draft as draft,
    fair as fair,
    manager as manager,
    ready as ready,
    texts,
)

pytestmark = pytest.mark.one_database


def test_a_draft_gets_another_name_and_the_log_has_the_old_one(manager, draft):
    page = texts(manager.post(f"{DRAFT}rename", {"name": " autumn "}, follow=True))

    assert "fair is now called autumn." in page
    assert Campaign.objects.get().name == "autumn"
    change = CampaignChange.objects.get(what="renamed")
    assert (change.why, change.who) == ("Previous name: fair.", "mia")
    assert manager.get("/campaigns/fair/").status_code == 404


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("spring", "A campaign called 'spring' already exists."),
        ("no blanks", "is not a valid name"),
        ("x" * 81, "is too long"),
        ("", "is not a valid name"),
        ("a\0/b", "is not a valid name"),
    ],
)
def test_an_invalid_name_is_refused_with_a_reason(manager, draft, name, words):
    Campaign.objects.create(name="spring", collection=draft.collection, pool=draft.pool, seed=1)

    page = texts(manager.post(f"{DRAFT}rename", {"name": name}, follow=True))

    assert words in page.replace("&#x27;", "'")
    assert Campaign.objects.get(pk=draft.pk).name == "fair"


def test_a_draft_is_deleted_after_a_confirmation_and_the_collection_records_it(manager, ready):
    asked = texts(manager.get(f"{DRAFT}delete/"))
    assert Campaign.objects.exists()
    page = texts(manager.post(f"{DRAFT}delete/", follow=True))

    assert "12 pairs in 4 tasks" in asked
    assert "Delete fair permanently" in asked
    assert "The draft fair was deleted." in page
    assert not Campaign.objects.exists()
    assert not Pair.objects.exists()
    kept = CollectionChange.objects.get(what="draft campaign fair deleted")
    assert kept.who == "mia"


def test_a_draft_that_somebody_tried_stays(manager, ready):
    trial_link(ready)
    start_trial(Posting.objects.get())

    asked = texts(manager.get(f"{DRAFT}delete/"))
    manager.post(f"{DRAFT}delete/")

    assert "1 task was opened in a trial" in asked
    assert "permanently" not in asked
    assert Campaign.objects.exists()


def test_a_draft_with_a_rehearsal_stays(manager, ready):
    Campaign.objects.create(
        name="copy", collection=ready.collection, pool=ready.pool, seed=1, rehearsal_of=ready
    )

    page = texts(manager.post(f"{DRAFT}delete/", follow=True))

    assert "it has 1 rehearsal" in page
    assert Campaign.objects.filter(name="fair").exists()


def test_launched_campaigns_keep_their_name_and_records(ready):
    stale = Campaign.objects.get()
    launch_campaign(ready)

    for act in (lambda: rename_draft(stale, "other"), lambda: delete_draft(stale)):
        with pytest.raises(CampaignRefused, match="no longer a draft"):
            act()
    assert Campaign.objects.get().name == "fair"


def test_the_page_of_settings_offers_both_for_a_draft(manager, draft):
    page = manager.get(reverse("web:prepare_settings", args=["fair"])).content.decode()

    assert "/prepare/rename" in page
    assert "/prepare/delete/" in page
