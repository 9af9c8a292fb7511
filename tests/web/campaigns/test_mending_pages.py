"""Corrections in the browser: differences from the crowd's list, low pay, withdrawn judgments."""

from datetime import timedelta
from decimal import Decimal

import pytest

from judging.models import Campaign, Judgment, Payment, RightsRequest, Submission
from tests.web.campaign_cast import text_of, worker

pytestmark = pytest.mark.one_database


def test_a_difference_is_listed_and_settled_with_what_was_found(fair, campaign, manager):
    page = f"/campaigns/{campaign.name}/differences/"
    assert "No differences found" in text_of(manager.get(page))
    place = fair.crowd.take("A1")
    fair.crowd.hand_in(place, {"choice-1": "left", "comment": ""})
    fair.collect(campaign)
    key = str(Submission.objects.get().pk)

    seen = text_of(manager.get(page))
    assert "Submitted on the crowd site, but not or only partly seen by our page" in seen
    assert page in text_of(manager.get(f"/campaigns/{campaign.name}/"))
    assert "Describe what you found" in text_of(manager.post(page, {"submission": key}), 400)
    assert "has no open difference" in text_of(manager.post(page, {"submission": "x", "why": "y"}), 400)
    manager.post(page, {"submission": key, "why": "our page was down"})

    assert "No differences found" in text_of(manager.get(page))
    change = campaign.changes.latest("pk")
    assert (change.why, change.who) == ("our page was down", "ada")


@pytest.fixture
def slow(fair, campaign):
    """Two whole tasks that took 600 seconds each: $12 an hour."""
    for name in ("A1", "A2"):
        fair.do_task(campaign, name)
    fair.collect(campaign)
    for row in Submission.objects.all():
        row.finished_at = row.opened_at + timedelta(seconds=600)
        row.save()
    return campaign


def test_a_top_up_is_previewed_and_paid_as_shown(slow, manager):
    page = f"/campaigns/{slow.name}/top-up/"
    seen = text_of(manager.get(f"{page}?minimum=15"))
    assert "Pay 2 bonuses and spend $" in seen
    total = seen.split("and spend $")[1].split("<")[0]
    assert not Payment.objects.filter(kind="top_up").exists()

    other = text_of(manager.post(page, {"minimum": "15", "total": "0.01"}), 400)
    assert f"The top-up is now ${total}" in other
    for _ in range(2):  # a second press pays nothing more
        manager.post(page, {"minimum": "15", "total": total})

    amounts = Payment.objects.filter(kind="top_up").values_list("amount", flat=True)
    assert list(amounts) == [Decimal("0.50")] * 2
    assert slow.changes.filter(what="top-up to $15.00 an hour", who="ada").count() == 1
    assert "No top-up is needed" in text_of(manager.get(f"{page}?minimum=15"))


def test_a_top_up_beyond_the_budget_is_not_offered(slow, manager):
    Campaign.objects.filter(pk=slow.pk).update(budget=Decimal("10.00"))
    page = f"/campaigns/{slow.name}/top-up/?minimum=60"

    seen = text_of(manager.get(page))

    assert "would exceed the budget of $10.00" in seen
    assert "bonuses and spend" not in seen
    assert f"/campaigns/{slow.name}/budget/" in seen


def test_a_top_up_without_any_time_says_so(campaign, manager):
    page = f"/campaigns/{campaign.name}/top-up/"

    assert "the time per task is unknown" in text_of(manager.get(f"{page}?minimum=15"), 400)
    assert manager.get(f"{page}?minimum=x").status_code == 422
    assert "Calculate" in text_of(manager.get(page))


def test_judgments_are_withdrawn_at_the_workers_request(slow, manager):
    one = worker("A1")
    page = f"/campaigns/{slow.name}/workers/{one.pk}/withdraw/"
    assert page in text_of(manager.get(f"/campaigns/{slow.name}/workers/{one.pk}/"))
    assert "This cannot be undone" in text_of(manager.get(page))
    assert "identifies the person" in text_of(manager.post(page, {"why": "mail from a@example.org"}), 400)

    reply = manager.post(page, {"why": "asked by mail on 3 May"}, follow=True)
    assert "Undo the exclusion" not in text_of(reply)

    assert not Judgment.objects.filter(worker=one).counted().exists()
    asked = RightsRequest.objects.get()
    assert (asked.what, asked.who) == ("withdraw", "ada")
    assert "has already withdrawn the judgments" in text_of(manager.get(page))
    assert page not in text_of(manager.get(f"/campaigns/{slow.name}/workers/{one.pk}/"))


def test_a_late_withdrawal_needs_a_second_confirmation(slow, manager):
    slow.withdrawal_days = 0
    slow.save()
    Submission.objects.update(submitted_at="2026-01-01T00:00Z")
    one = worker("A1")
    page = f"/campaigns/{slow.name}/workers/{one.pk}/withdraw/"

    assert "Withdraw although the deadline has passed" in text_of(manager.get(page))
    refused = text_of(manager.post(page, {"why": "asked"}), 400)
    assert "could withdraw judgments until" in refused
    assert "--late" not in refused
    manager.post(page, {"why": "asked", "late": "on"})

    assert RightsRequest.objects.exists()
