"""A campaign's payments page: the ledger, and decisions about payments that the crowd refuses permanently."""

import pytest

from judging.errors import CrowdNever
from judging.intake.collection import collect
from judging.models import Payment, Submission
from judging.money.discrepancies import receipt_of
from judging.money.payments import pay_owed
from judging.money.rejections import carry_out_rejections
from judging.page import session
from tests.web.campaign_cast import text_of
from web.payments import pages as payment_pages

PAGE = "/campaigns/fair/payments/"


@pytest.fixture
def submission(fair, campaign) -> Submission:
    """A submission whose bonus the crowd refuses permanently."""
    done = fair.do_task(campaign, "A1")
    collect(campaign, sweep=True)
    fair.crowd.fail("pay_bonus", CrowdNever("Worker A1 is here no more"))
    pay_owed(campaign)
    return done


def bonus() -> Payment:
    return Payment.objects.get(kind="bonus")


def test_before_any_work_the_page_describes_its_contents(manager):
    words = text_of(manager.get(PAGE))
    assert "No payments yet" in words
    assert "No payment was refused." in words


def test_the_page_shows_the_ledger_and_refused_payments(manager, submission):
    words = text_of(manager.get(PAGE))
    assert "<td>rewards</td><td>paid</td>" in words
    assert "<td>bonuses</td><td>owed</td>" in words
    assert "Worker A1 is here no more" in words
    assert f'href="{PAGE}">' in text_of(manager.get("/campaigns/fair/"))


def test_a_refused_payment_is_settled_and_owed_again(manager, submission):
    reply = manager.post(PAGE, {"submission": submission.pk, "why": "gift card <b>7</b>"}, follow=True)
    words = text_of(reply)
    assert "$1.80 settled." in words
    assert "gift card &lt;b&gt;7&lt;/b&gt;" in words
    assert (bonus().state, bonus().decided_by) == ("settled", "ada")

    twice = manager.post(PAGE, {"submission": submission.pk, "why": "again"})
    assert "there is nothing to settle" in text_of(twice, status=400)
    assert bonus().decided_why == "gift card <b>7</b>"

    assert "$1.80 is owed again." in text_of(
        manager.post(PAGE, {"submission": submission.pk, "do": "undo"}, follow=True)
    )
    assert bonus().state == "owed"


def test_refused_and_settled_payments_are_searched_and_cut_into_pages(
    fair, campaign, manager, submission, monkeypatch
):
    monkeypatch.setattr(payment_pages, "REFUSED_A_PAGE", 1)
    other = fair.do_task(campaign, "A2")
    collect(campaign, sweep=True)
    fair.crowd.fail("pay_bonus", CrowdNever("No such assignment"))
    pay_owed(campaign)

    first, second = text_of(manager.get(PAGE)), text_of(manager.get(f"{PAGE}?page=2"))
    assert '<strong class="numbers">$3.60</strong> of 2 submissions.' in first
    assert ("A1 is here no more" in first, "No such assignment" in first) == (True, False)
    assert ("A1 is here no more" in second, "No such assignment" in second) == (False, True)
    for words in ("no SUCH", f"worker {other.worker_id}", f"submission {other.pk}"):
        found = text_of(manager.get(PAGE, {"q": words}))
        assert ("A1 is here no more" in found, "No such assignment" in found) == (False, True)
    assert "No refused payments match" in text_of(manager.get(PAGE, {"q": "elephant"}))

    here = f"{PAGE}?q=no+such"
    done = manager.post(here, {"submission": other.pk, "why": "a gift card"})
    assert done.url == here
    assert "<td>a gift card</td>" in text_of(manager.get(PAGE, {"q": "gift"}))
    assert "<td>a gift card</td>" not in text_of(manager.get(PAGE, {"q": "elephant"}))


@pytest.mark.parametrize("why", ["", "\0 ", "x" * 1001])
def test_settling_needs_a_reason_of_valid_length(manager, submission, why):
    reply = manager.post(PAGE, {"submission": submission.pk, "why": why})
    assert "State how it was settled" in text_of(reply, status=400)
    assert bonus().state == "owed"


@pytest.mark.parametrize("key", ["", "0", "x", "-1", "9" * 40])
def test_a_submission_of_another_campaign_is_not_found(manager, submission, key):
    assert manager.post(PAGE, {"submission": key, "why": "gift card"}).status_code == 404


def forged(fair, campaign, worker: str = "AFORGER") -> Submission:
    """Collect a form that was sent straight to the crowd."""
    place = fair.crowd.take(worker)
    fair.crowd.hand_in(place, {"choice-1": "left", "choice-2": "right"})
    collect(campaign, sweep=True)
    return Submission.objects.get(assignment_id=place.assignment_id)


def test_held_pay_is_shown_on_every_overview_and_paid_on_the_page(fair, campaign, manager):
    held = forged(fair, campaign)
    assert "pay for 1 submission held until you decide" in text_of(manager.get("/"))
    assert "$0.92 for 1 submission is held until you decide" in text_of(manager.get("/campaigns/fair/"))
    words = text_of(manager.get(PAGE))
    assert "form answers 2 pairs." in words
    assert "It is rejected on" in words

    wrong = manager.post(PAGE, {"submission": held.pk, "do": "pay", "amount": "0.50"})
    assert "Add a reason" in text_of(wrong, status=400)
    assert "in dollars and cents" in text_of(
        manager.post(PAGE, {"submission": held.pk, "do": "pay", "amount": "all"}), status=400
    )
    done = {"submission": held.pk, "do": "pay", "amount": "0.50", "why": "one pair was done"}
    assert "$0.50 will be paid" in text_of(manager.post(PAGE, done, follow=True))
    assert dict(held.payments.values_list("kind", "state")) == {"reward": "owed", "bonus": "owed"}


def test_the_page_says_if_more_pay_is_held_than_it_lists(fair, campaign, manager, monkeypatch):
    monkeypatch.setattr("web.payments.pages.MOST_LISTED", 1)
    forged(fair, campaign, "AFIRST")
    assert "more submission" not in text_of(manager.get(PAGE))

    forged(fair, campaign, "ASECOND")

    assert "1 more submission is held." in text_of(manager.get(PAGE))


def test_held_pay_is_rejected_on_the_page_and_sent_to_the_crowd_by_the_next_collection(
    fair, campaign, manager
):
    held = forged(fair, campaign)
    assert "needs a reason" in text_of(
        manager.post(PAGE, {"submission": held.pk, "do": "reject"}), status=400
    )

    manager.post(PAGE, {"submission": held.pk, "do": "reject", "why": "No pair was judged."})
    carry_out_rejections(campaign)

    assert fair.crowd.rejections == {held.assignment_id: "No pair was judged."}


def test_work_that_the_crowd_never_listed_is_paid_on_the_page(fair, campaign, manager):
    lost = fair.open_task(campaign, "A1")
    fair.answer(lost)
    session.finish(lost)
    Submission.objects.filter(pk=lost.pk).update(state="lapsed")
    words = text_of(manager.get(PAGE))
    assert f'receipt <span class="mono">{receipt_of(lost)}</span>' in words
    assert "no bonus can be sent" in words

    done = {"submission": lost.pk, "do": "another way", "why": "bank transfer on 3 May"}
    assert "$2.00 recorded as paid another way." in text_of(manager.post(PAGE, done, follow=True))
    assert "bank transfer on 3 May" in text_of(manager.get(PAGE))
    assert (
        text_of(manager.post(PAGE, {"submission": lost.pk, "do": "undo"}, follow=True)).count("h-missing")
        == 2
    )
