"""Stopping before the last pair: what the page shows, what is paid, what counts."""

import re
from decimal import Decimal

import pytest
from django.test import Client

from judging.models import Appeal, Choice, Exclusion, Judgment, Submission, Task
from judging.money.discrepancies import receipt_of
from judging.money.held_pay import held_work
from judging.people.appeal_answers import settle_report_or_appeal
from judging.people.exclusions import exclude_worker
from tests.judging.cast import good_side
from tests.judging.visitor import Visitor, text

pytestmark = pytest.mark.usefixtures("crowd_site")


@pytest.fixture
def martha(crowd, campaign) -> Visitor:
    """She has judged two of her five pairs."""
    visitor = Visitor(crowd, campaign)
    visitor.begin()
    for slot in visitor.slots()[:2]:
        visitor.save(slot=str(slot.number), side=good_side(slot))
    return visitor


def leave(visitor: Visitor, **fields):
    return visitor.client.post(f"{visitor.page}leave", fields, follow=True)


def test_the_page_says_what_is_judged_and_what_it_pays_before_anything_ends(martha):
    page = text(leave(martha))

    assert "You have judged 2 of 5 pairs." in page
    assert "$0.92" in page  # 0.20 + 1.80 x 2 / 5
    assert "$0.20" in page
    assert "$0.72" in page
    assert martha.submission.state == "held"


def test_without_a_judged_pair_there_is_nothing_to_submit(crowd, campaign):
    visitor = Visitor(crowd, campaign)
    visitor.begin()

    for page in (text(leave(visitor)), text(leave(visitor, confirmed="1"))):
        assert "so there is nothing to submit and nothing to pay." in page
        assert "return it on the site where you took it" in page
        assert 'id="stop"' not in page
        assert "$" not in page
    assert visitor.submission.state == "held"


def test_a_form_without_judged_pairs_is_not_paid_automatically(fair, campaign):
    submission = fair.open_task(campaign, "A1")
    fair.send_off(submission)
    fair.collect(campaign)

    assert {payment.state for payment in submission.payments.all()} == {"held"}
    assert not fair.crowd.paid_bonuses


def test_a_trial_without_a_pair_judged_is_ended_by_closing_the_page(crowd, campaign):
    visitor = Visitor(crowd, campaign)
    visitor.begin()
    Submission.objects.update(standing="trial")

    page = text(leave(visitor))

    assert "To end the trial, close this page." in page
    assert "crowd" not in page


def test_continuing_is_one_click_away(martha):
    page = text(leave(martha))

    assert f'href="{martha.page}"' in page
    assert "Which passage answers the question better?" in text(martha.client.get(martha.page))


def test_leaving_submits_judged_pairs(martha):
    page = text(leave(martha, confirmed="1", comment="I have to go."))

    submission = martha.submission
    assert (submission.state, submission.left_early, submission.comment) == (
        "finished",
        True,
        "I have to go.",
    )
    assert "You will then be paid $0.92 for the pairs you judged" in page
    assert page.count('name="choice-') == 2


def test_the_receipt_is_told_before_the_task_goes_to_the_crowd(martha):
    receipt = receipt_of(martha.submission)

    assert receipt in text(martha.client.get(martha.page))
    assert receipt in text(leave(martha))


def test_leaving_before_consent_ends_nothing(crowd, campaign):
    visitor = Visitor(crowd, campaign)
    visitor.arrive()

    page = text(leave(visitor, confirmed="1"))

    assert "What you agree to" in page
    assert visitor.submission.state == "held"


def test_leaving_twice_or_after_the_end_changes_nothing(martha):
    leave(martha, confirmed="1")
    again = leave(martha, confirmed="1", comment="later")

    assert "One last step" in text(again)
    assert martha.submission.comment == ""


def test_without_scripts_the_choices_come_with_the_form(crowd, campaign):
    visitor = Visitor(crowd, campaign)
    visitor.begin()
    three = dict(list(visitor.choices().items())[:3])

    page = text(leave(visitor, **three))

    assert "You have judged 3 of 5 pairs." in page
    assert Choice.objects.count() == 3


def test_leaving_after_the_last_pair_submits_the_task(martha):
    leave(martha, **martha.choices())
    leave(martha, confirmed="1")

    assert not martha.submission.left_early


@pytest.fixture
def unsplit(fair):
    return fair.opened(pay="whole")


def test_a_person_decides_about_unsplit_pay_for_a_part(crowd, fair, unsplit):
    visitor = Visitor(crowd, unsplit)
    visitor.begin()
    slot = visitor.slots()[0]
    visitor.save(slot=str(slot.number), side=good_side(slot))

    asked = text(leave(visitor))
    told = text(leave(visitor, confirmed="1"))
    fair.hand_in(visitor.submission)
    fair.collect(unsplit)

    assert "The pay of <strong>$2.00</strong> is for the whole task." in asked
    assert "then decides whether to pay you for part of the task" in told
    [held] = held_work(unsplit)
    assert held.amount == Decimal("2.00")
    assert held.why == "The worker stopped after 1 pair, and the reward is for the whole task."
    assert not Exclusion.objects.exists()


def test_unsplit_pay_for_a_whole_task_is_paid_automatically(crowd, fair, unsplit):
    submission = fair.do_task(unsplit, "A1")
    fair.collect(unsplit)

    assert [(payment.amount, payment.state) for payment in submission.payments.all()] == [
        (Decimal("2.00"), "paid")
    ]


def test_a_worker_who_may_not_go_on_is_paid_for_the_pairs_judged(fair, campaign, martha):
    Submission.objects.update(standing="excluded")

    page = martha.client.get(martha.page)
    assert page.status_code == 403
    assert f'action="{martha.page}leave"' in text(page)
    asked = text(leave(martha))
    assert "$0.92" in asked
    assert "Continue judging" not in asked
    leave(martha, confirmed="1")
    fair.hand_in(martha.submission)
    fair.collect(campaign)

    assert [bonus.amount for bonus in fair.crowd.paid_bonuses] == [Decimal("0.72")]
    assert Judgment.objects.counted().count() == 0


def left_after(fair, campaign, *, gold: int, pairs: int):
    """Return a submission with this many of its two gold pairs and three pairs judged; collected and paid."""
    submission = fair.open_task(campaign, "A1")
    slots = submission.slots.select_related("gold_pair").order_by("number")
    for slot in [*slots.exclude(gold_pair=None)[:gold], *slots.exclude(pair=None)[:pairs]]:
        fair.answer_slot(submission, slot)
    fair.send_off(submission)
    fair.collect(campaign)
    submission.refresh_from_db()
    return submission


@pytest.mark.parametrize("gold", [0, 1])
def test_left_before_all_gold_was_reached_the_work_is_paid_and_its_pairs_are_offered_again(
    fair, campaign, gold
):
    submission = left_after(fair, campaign, gold=gold, pairs=2)

    assert submission.standing == "unfinished"
    assert Judgment.objects.filter(submission=submission).counted().count() == 0
    assert submission.task.state == Task.State.WAITING
    assert {payment.state for payment in submission.payments.all()} == {"paid"}


def test_after_an_early_stop_with_all_gold_passed_judged_pairs_count_and_the_rest_is_repacked(fair, campaign):
    submission = left_after(fair, campaign, gold=2, pairs=2)

    assert (submission.standing, submission.task.state) == ("counted", Task.State.DONE)
    assert Judgment.objects.filter(submission=submission).counted().count() == 2
    assert campaign.tasks.count() == 5
    assert campaign.tasks.order_by("number").last().task_pairs.count() == 1


def test_excluded_workers_are_never_asked_to_return_their_open_task(martha):
    exclude_worker(martha.campaign, martha.submission.worker, why="too fast")

    refused = text(martha.client.get(martha.page))
    appeal = re.search(r'action="(/judge/appeal/[^"]+)"', refused)[1]
    objected = text(martha.client.post(appeal, {"words": "I read every word."}))
    again = text(martha.client.get(martha.page))

    way_out = f'action="{martha.page}leave"'
    for page in (refused, objected, again, text(martha.client.get(appeal))):
        assert "Submit what you have judged in your open task. Please do not return it" in page
        assert "Please return" not in page
        assert way_out in page
    kept = re.search(
        r'<p id="answer-at">You will find the answer at this address.*?href="([^"]+)"', objected
    )[1]
    assert kept in again
    assert "as a message on the task site" in objected

    # A worker who kept the address reads the answer there, paid or not; a submitted task has no submit button.
    martha.client.post(f"{martha.page}leave", {"confirmed": "1"})
    settle_report_or_appeal(martha.campaign, f"a{Appeal.objects.get().pk}", why="We look again.")
    answered = text(Client().get(kept))
    assert "We look again." in answered
    assert way_out not in text(martha.client.get(appeal))


def test_workers_refused_without_a_task_are_asked_to_return_the_place(crowd, campaign):
    Visitor(crowd, campaign).fail()
    refused = text(Visitor(crowd, campaign).arrive())
    appeal = re.search(r'action="(/judge/appeal/[^"]+)"', refused)[1]
    objected = text(Client().post(appeal, {"words": "I read every word."}))

    assert "Please return this task" in refused
    assert "please return it on the site where you took it" in objected
    assert "as a message on the task site" not in objected


def test_the_token_of_another_task_opens_no_way_out(crowd, martha, campaign):
    exclude_worker(campaign, martha.submission.worker, why="too fast")
    other = Visitor(crowd, campaign, "AHENRY")
    other.begin()
    appeal = re.search(r'action="(/judge/appeal/[^"]+)"', text(martha.client.get(martha.page)))[1]

    page = text(Client().get(appeal.split("?")[0], {"task": other.page.split("/")[3]}))

    assert "leave" not in page
