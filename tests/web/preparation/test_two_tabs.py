"""Two tabs: values saved in one are not overwritten from the other, which did not show them."""

from decimal import Decimal

import pytest

from judging.campaign.campaign_settings import change_settings
from judging.models import Campaign, GoldPair
from tests.judging.conftest import crowd as crowd
from tests.web.preparing_cast import (
    DRAFT,
    draft as draft,
    fair as fair,
    manager as manager,
    ready as ready,
    shown,
    texts,
)
from web.preparation.forms import PayForm, SettingsForm

pytestmark = pytest.mark.one_database


def opened(manager, step):
    """Return what a newly opened tab would send."""
    return manager.get(f"{DRAFT}{step}/").context["form"].seen()


def test_a_setting_saved_elsewhere_is_named_and_kept(manager, draft):
    old = shown(draft, SettingsForm) | {"seen": opened(manager, "settings")}
    change_settings(draft, {"pairs_per_task": 4})

    reply = manager.post(f"{DRAFT}settings/", old | {"judgments_per_pair": "3"})

    assert reply.status_code == 422
    assert "Pairs per task is now 4" in texts(reply)
    saved = Campaign.objects.get()
    assert (saved.pairs_per_task, saved.judgments_per_pair) == (4, 1)
    form = reply.context["form"]
    assert (form["pairs_per_task"].value(), form["judgments_per_pair"].value()) == (4, "3")
    assert not form["allow_undecided"].value()
    again = manager.post(
        f"{DRAFT}settings/", old | {"judgments_per_pair": "3", "seen": reply.context["form"].seen()}
    )
    assert again.status_code == 302
    assert Campaign.objects.get().judgments_per_pair == 3


def test_a_box_ticked_elsewhere_is_shown_ticked(manager, draft):
    old = shown(draft, SettingsForm) | {"seen": opened(manager, "settings")}
    change_settings(draft, {"allow_undecided": True})

    reply = manager.post(f"{DRAFT}settings/", old | {"judgments_per_pair": "3"})

    assert reply.status_code == 422
    assert reply.context["form"]["allow_undecided"].value()
    assert "Offer “Cannot decide” is now on." in texts(reply)


def test_a_conflict_in_a_folded_setting_unfolds_it_and_the_cost_stays(manager, draft):
    old = shown(draft, SettingsForm) | {"seen": opened(manager, "settings")}
    changes = {
        "screen": "two-strikes",
        "placeholder_text": not draft.placeholder_text,
        "judgments_per_pair": 2,
    }
    change_settings(draft, changes)

    reply = manager.post(f"{DRAFT}settings/", old)

    page = texts(reply)
    assert "Effect of a failed gold pair is now two strikes;" in page
    box = "For simulated workers only: show passages without text as placeholders"
    assert f"{box} is now {'on' if draft.placeholder_text else 'off'}" in page
    assert '<details class="advanced" open>' in reply.content.decode()
    assert "$19.20 for 8 tasks" in page  # with the judgments per pair that the page shows


def test_the_message_about_saved_settings_has_the_labels_of_the_form(manager, draft):
    sent = shown(draft, SettingsForm) | {"max_tasks_per_worker": "3", "task_minutes": "50"}

    page = texts(manager.post(f"{DRAFT}settings/", sent | {"stay": "1"}, follow=True))

    assert "Saved: “Maximum tasks per worker”, “Minutes per task”." in page


def test_the_same_form_sent_twice_is_no_conflict(manager, draft):
    sent = shown(draft, SettingsForm) | {"seen": opened(manager, "settings"), "judgments_per_pair": "2"}

    replies = [manager.post(f"{DRAFT}settings/", sent).status_code for _ in range(2)]

    assert replies == [302, 302]
    assert Campaign.objects.get().judgments_per_pair == 2


def test_pay_saved_elsewhere_is_not_overwritten(manager, draft):
    old = shown(draft, PayForm) | {"seen": opened(manager, "pay")}
    change_settings(draft, {"reward": Decimal("3.50")})

    reply = manager.post(f"{DRAFT}pay/", old)

    assert reply.status_code == 422
    assert "is now 3.50" in texts(reply)
    assert reply.context["told"].pay.whole == Decimal("3.50")
    assert str(Campaign.objects.get().reward) == "3.50"


def test_texts_saved_elsewhere_are_named_without_being_repeated(manager, draft):
    page = manager.get(f"{DRAFT}texts/").context["form"]
    sent = {name: page[name].value() or "" for name in page.fields} | {"seen": page.seen()}
    manager.post(f"{DRAFT}texts/", sent | {"instructions": "Read both.", "seen": ""})

    reply = manager.post(f"{DRAFT}texts/", sent | {"example": ""})

    assert reply.status_code == 422
    assert "Saved elsewhere after you opened this page: Instructions" in texts(reply)


@pytest.mark.parametrize("seen", ["", "nonsense", "e30:forged:signature"])
def test_a_form_without_fingerprints_is_saved_as_it_is(manager, draft, seen):
    sent = shown(draft, SettingsForm) | {"seen": seen, "judgments_per_pair": "2"}

    assert manager.post(f"{DRAFT}settings/", sent).status_code == 302


def test_a_gold_pair_decided_elsewhere_stays_so(manager, ready):
    pair = GoldPair.objects.filter(state="accepted").first()

    reply = manager.post(
        f"{DRAFT}gold/decide", {"gold": pair.pk, "decision": "drop", "seen": "proposed"}, follow=True
    )

    assert "was accepted" in texts(reply)
    assert "Nothing was changed" in texts(reply)
    pair.refresh_from_db()
    assert pair.state == "accepted"
    manager.post(f"{DRAFT}gold/decide", {"gold": pair.pk, "decision": "drop", "seen": "accepted"})
    pair.refresh_from_db()
    assert pair.state == "dropped"
    late = manager.post(
        f"{DRAFT}gold/decide", {"gold": pair.pk, "decision": "accept", "seen": "accepted"}, follow=True
    )
    assert "This gold pair was rejected by mia after you opened the page." in texts(late)
