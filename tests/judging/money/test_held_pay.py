"""Submissions at the crowd that our page saw only partly or not at all: held for a person, counted, and stopped."""

import io
import json
from datetime import timedelta
from decimal import Decimal

import pytest
from django.core.management import call_command

from config import clock
from judging import jobs
from judging.campaign.campaigns import resume
from judging.campaign.cost import money
from judging.campaign.hourly_pay import seconds_of_tasks
from judging.errors import CampaignRefused
from judging.exchange.link_tokens import page_address
from judging.intake.collection import collect
from judging.intake.places import close_places
from judging.intake.worker_records import records_of
from judging.launch.closure import close, finish_closing
from judging.models import (
    Campaign,
    Choice,
    Discrepancy,
    Exclusion,
    GoldAnswer,
    Judgment,
    Payment,
    Submission,
    Task,
    Worker,
)
from judging.money.discrepancies import receipt_of
from judging.money.held_pay import held_work, note_paid_by_the_crowd, pay_held, reject_unjudged
from judging.money.ledger import compare_books
from judging.money.payments import earned_so_far
from judging.money.rejections import override_rejection, reject
from judging.page import session
from judging.page.last_step import last_step
from judging.people.exclusions import reinstate_worker
from judging.watching.status import campaign_status
from judging.workers.block_lists import list_name, sync_blocks
from judging.workers.identities import refusal_reason
from pooling.models import Passage
from tests.judging.visitor import Visitor, text

ALL = {f"choice-{number}": "left" for number in range(1, 6)}


@pytest.fixture
def campaign(fair):
    return fair.opened()


def forged(fair, campaign, worker: str = "AFORGER", answers: dict[str, str] = ALL) -> Submission:
    """A form sent straight to the crowd, and collected."""
    place = fair.crowd.take(worker)
    fair.crowd.hand_in(place, answers)
    fair.collect(campaign)
    return Submission.objects.get(assignment_id=place.assignment_id, worker__identity__crowd_worker_id=worker)


def payments(submission: Submission) -> dict[tuple[str, str], tuple[str, Decimal]]:
    return {(one.kind, one.cause): (one.state, one.amount) for one in submission.payments.all()}


def named(crowd_worker_id: str) -> Worker:
    return Worker.objects.get(identity__crowd_worker_id=crowd_worker_id)


def test_submissions_that_our_page_never_saw_are_held(fair, campaign):
    submission = forged(fair, campaign)

    assert payments(submission) == {
        ("reward", ""): ("held", Decimal("0.20")),
        ("bonus", "claimed"): ("held", Decimal("1.80")),
    }
    assert (fair.crowd.approvals, fair.crowd.paid_bonuses) == ([], [])
    (held,) = held_work(campaign)
    assert (held.amount, held.answered, held.saved) == (Decimal("2.00"), 5, 0)
    assert (held.pays_itself_at, held.rejects_itself_at) == (
        None,
        submission.auto_approval_at - timedelta(hours=24),
    )
    assert (money(campaign)["held"], money(campaign)["owed"]) == (Decimal("2.40"), 0)
    assert campaign_status(campaign)["problems"][0].startswith(
        "$2.00 for 1 submission is held until you decide."
    )


@pytest.mark.parametrize(("saved", "owed", "held"), [(0, None, "1.80"), (2, "0.72", "1.08")])
def test_a_form_that_claims_more_than_our_server_saved_is_paid_what_was_saved(
    fair, campaign, saved, owed, held
):
    submission = fair.open_task(campaign, "AFORGER")
    session.give_consent(submission)
    fair.answer(submission, only=saved)
    fair.hand_in(submission, ALL)

    fair.collect(campaign)

    paid = {("reward", ""): ("paid", Decimal("0.20")), ("bonus", ""): ("paid", Decimal("0.72"))}
    expected = paid if owed else {("reward", ""): ("held", Decimal("0.20"))}
    assert payments(submission) == {**expected, ("bonus", "claimed"): ("held", Decimal(held))}
    assert Judgment.objects.filter(submission=submission).count() <= saved


@pytest.mark.parametrize(
    ("pay", "held"),
    [
        ("split", {("reward", ""): ("paid", Decimal("0.20")), ("bonus", ""): ("held", Decimal("1.80"))}),
        ("whole", {("reward", ""): ("held", Decimal("2.00"))}),
    ],
)
def test_pairs_judged_faster_than_anybody_can_read_wait_for_a_person(fair, crowd, crowd_site, pay, held):
    Passage.objects.update(text="word " * 200)
    visitor = Visitor(crowd, campaign := fair.opened(pay=pay))

    page = text(visitor.do_task())
    quick = visitor.submission
    fair.hand_in(quick)
    fair.collect(campaign)

    assert payments(quick) == held
    assert "faster than anybody can read" in page
    assert f'name="pay_promised" value="{"0.20+1.80" if pay == "split" else "undecided"}"' in page
    (one,) = held_work(campaign)
    assert one.why == "5 pairs were judged faster than anybody can read."
    assert campaign_status(campaign)["flagged_workers"] == [{"worker": quick.worker_id, "flags": ["unread"]}]


def test_before_stopping_after_unread_pairs_the_page_says_that_pay_may_be_held(fair, crowd, crowd_site):
    Passage.objects.update(text="word " * 200)
    visitor = Visitor(crowd, fair.opened())
    visitor.begin()
    for slot in visitor.slots()[:2]:
        visitor.save(slot=slot.number)

    page = text(visitor.client.post(f"{visitor.page}leave"))

    assert "the requester decides whether you are paid <strong>$0.92</strong>" in page
    assert "If you submit it now, you are paid" not in page


@pytest.mark.parametrize(("seconds", "held"), [(0.06, True), (70.0, False), (None, False)])
def test_waiting_before_the_first_pair_is_no_reading(fair, seconds, held):
    Passage.objects.update(text="word " * 200)
    campaign = fair.opened()
    waited = fair.open_task(campaign, "AWAITS")
    Submission.objects.update(opened_at=clock.now() - timedelta(minutes=20))
    waited.refresh_from_db()
    fair.answer(waited)
    # The page reports how long each pair was on screen; without scripts it reports nothing.
    Choice.objects.update(seconds_shown=seconds)
    session.finish(waited)
    fair.hand_in(waited)

    fair.collect(campaign)

    assert payments(waited)["bonus", ""] == ("held" if held else "paid", Decimal("1.80"))
    flagged = campaign_status(campaign)["flagged_workers"]
    assert flagged == ([{"worker": waited.worker_id, "flags": ["unread"]}] if held else [])


def test_pairs_read_before_a_task_was_returned_do_not_excuse_the_others(fair):
    Passage.objects.update(text="word " * 200)
    campaign = fair.opened()
    resumed = fair.open_task(campaign, "ARESUMES")
    fair.answer(resumed)
    Choice.objects.update(seconds_shown=0.1)
    Choice.objects.filter(slot__number=1).update(seconds_shown=30.0)
    Submission.objects.update(resumed_pairs=1)
    resumed.refresh_from_db()
    session.finish(resumed)
    fair.hand_in(resumed)

    fair.collect(campaign)

    assert payments(resumed)["bonus", ""] == ("held", Decimal("1.80"))


def test_one_key_a_task_earns_nothing_by_itself(fair):
    Passage.objects.update(text="word " * 200)
    campaign = fair.opened()
    stopped = fair.open_task(campaign, "ASTOPS")
    Submission.objects.update(opened_at=clock.now() - timedelta(minutes=20))
    stopped.refresh_from_db()
    fair.answer(stopped, only=1)
    Choice.objects.update(seconds_shown=0.15)
    session.finish(stopped)
    fair.hand_in(stopped)

    fair.collect(campaign)

    assert {state for state, _ in payments(stopped).values()} == {"held"}
    assert len(payments(stopped)) == 2


def test_without_pay_nothing_waits_for_a_person(fair):
    Passage.objects.update(text="word " * 200)
    campaign = fair.opened(reward=Decimal(0), base_reward=Decimal(0), pay="whole")
    stopped = fair.open_task(campaign, "AVOLUNTEER")
    fair.answer(stopped, only=1)
    session.finish(stopped)
    fair.hand_in(stopped)

    fair.collect(campaign)

    assert "held" not in {state for state, _ in payments(stopped).values()}
    assert held_work(campaign) == []


def test_the_same_pairs_judged_in_time_to_read_are_paid(fair):
    Passage.objects.update(text="word " * 200)
    campaign = fair.opened()
    slow = fair.open_task(campaign, "ASLOW")
    Submission.objects.update(
        opened_at=clock.now() - timedelta(minutes=2)
    )  # 400 words a pair: 67 s at 15 a second
    slow.refresh_from_db()
    fair.answer(slow)
    fair.send_off(slow)

    fair.collect(campaign)

    assert {state for state, _ in payments(slow).values()} == {"paid"}


def test_pay_that_is_not_split_is_held_whole_for_a_form_that_claims_more(fair):
    campaign = fair.opened(pay="whole")
    submission = fair.open_task(campaign, "AFORGER")
    fair.answer(submission, only=1)
    fair.hand_in(submission, ALL)

    fair.collect(campaign)

    assert payments(submission) == {("reward", ""): ("held", Decimal("2.00"))}


def test_a_worker_whose_choices_our_page_saved_in_part_is_not_excluded_as_unseen(fair):
    campaign = fair.opened(pay="whole")
    for _ in range(2):
        submission = fair.open_task(campaign, "APARTLY")
        fair.answer(submission, only=1)
        fair.hand_in(submission, ALL)
        fair.collect(campaign)

    assert set(Payment.objects.values_list("state", flat=True)) == {"held"}
    assert not Exclusion.objects.filter(rule=Exclusion.UNSEEN).exists()


def test_what_our_server_signed_is_paid_though_a_restored_backup_knows_nothing_of_it(
    fair, campaign, crowd_site
):
    submission = fair.open_task(campaign, "A1")
    fair.answer(submission)
    session.finish(submission)
    form = dict(last_step(submission, crowd_site, earned_so_far(submission)).fields)
    fair.hand_in(submission, form)
    # The backup is of the moment before.
    Task.objects.update(state="waiting", holder=None, leased_until=None)
    for model in (Judgment, GoldAnswer, Submission):
        model.objects.all().delete()

    fair.collect(campaign)

    again = Submission.objects.get()
    assert (again.standing, {state for state, _ in payments(again).values()}) == ("unknown", {"paid"})
    assert not Discrepancy.objects.exists()
    # The same proof under another assignment proves nothing.
    assert held_work(campaign) == []
    forged(fair, campaign, "A2", form)
    assert held_work(campaign)[0].amount == Decimal("2.00")


def test_it_counts_as_a_task_of_the_worker_and_the_second_one_blocks(fair):
    campaign = fair.opened(max_tasks_per_worker=1)
    forged(fair, campaign)
    assert refusal_reason(campaign, named("AFORGER")) == "enough-tasks"
    assert not Exclusion.objects.exists()

    forged(fair, campaign)
    sync_blocks(campaign)

    exclusion = Exclusion.objects.get()
    assert (exclusion.rule, exclusion.decided_by) == ("unseen", "")
    assert fair.crowd.block_lists[list_name(campaign)] == {"AFORGER"}
    assert refusal_reason(campaign, named("AFORGER")) == "excluded"
    assert campaign.changes.filter(what__contains="excluded by the rule unseen").exists()


def test_a_reinstated_worker_is_blocked_again_only_for_new_work(fair, campaign):
    for _ in range(2):
        forged(fair, campaign)
    sync_blocks(campaign)

    reinstate_worker(campaign, named("AFORGER"), why="our page was away", who="ada")
    sync_blocks(campaign)
    forged(fair, campaign)

    assert fair.crowd.block_lists[list_name(campaign)] == set()
    assert refusal_reason(campaign, named("AFORGER")) == "enough-tasks"
    forged(fair, campaign)
    assert refusal_reason(campaign, named("AFORGER")) == "excluded"


def test_work_that_a_person_paid_is_not_held_against_its_worker(fair, campaign):
    pay_held(campaign, forged(fair, campaign), why="our page was away", who="ada")
    forged(fair, campaign)

    assert not Exclusion.objects.exists()


def test_a_rising_number_pauses_the_campaign_and_one_worker_alone_does_not(fair, campaign):
    for _ in range(4):
        forged(fair, campaign)
    campaign.refresh_from_db()
    assert campaign.state == "open"

    for worker in ("A2", "A3", "A4"):
        forged(fair, campaign, worker)

    campaign.refresh_from_db()
    assert campaign.state == "paused"
    change = campaign.changes.get(what="paused")
    assert (change.who, "without a pair judged on our page" in change.why) == ("", True)

    close_places(campaign)
    resume(campaign, why="we looked", who="ada")
    fair.collect(campaign)
    forged(fair, campaign, "A5")
    campaign.refresh_from_db()
    assert (
        campaign.state == "open"
    )  # submissions from before a person resumed the campaign do not count again


def test_a_few_among_much_honest_work_pause_nothing(fair):
    campaign = fair.opened(pairs_per_task=1)
    for number in range(11):
        fair.do_task(campaign, f"HONEST{number}")
    fair.collect(campaign)
    for worker in ("A1", "A1", "A2"):
        forged(fair, campaign, worker)

    campaign.refresh_from_db()
    assert campaign.state == "open"


def test_a_person_pays_all_of_it_once(fair, campaign):
    submission = forged(fair, campaign)

    assert pay_held(campaign, submission, who="ada") == Decimal("2.00")
    fair.collect(campaign)

    assert fair.crowd.approvals == [submission.assignment_id]
    assert [bonus.amount for bonus in fair.crowd.paid_bonuses] == [Decimal("1.80")]
    assert compare_books(campaign).differences == []
    assert Discrepancy.objects.get().resolved_at
    with pytest.raises(CampaignRefused, match="No pay is held"):
        pay_held(campaign, submission, who="ada")


@pytest.mark.parametrize(("amount", "bonus"), [("0.20", []), ("0.90", ["0.70"])])
def test_a_person_pays_a_part(fair, campaign, amount, bonus):
    submission = forged(fair, campaign)

    pay_held(campaign, submission, amount=Decimal(amount), why="two pairs were done", who="ada")
    fair.collect(campaign)

    assert fair.crowd.approvals == [submission.assignment_id]
    assert [str(one.amount) for one in fair.crowd.paid_bonuses] == bonus
    assert (money(campaign)["held"], money(campaign)["owed"]) == (0, 0)


@pytest.mark.parametrize("amount", ["0.10", "2.01", "1.005", "NaN"])
def test_amounts_that_cannot_be_paid_are_refused(fair, campaign, amount):
    submission = forged(fair, campaign)

    with pytest.raises(CampaignRefused, match=r"between \$0.20 and \$2.00"):
        pay_held(campaign, submission, amount=Decimal(amount), why="because")
    with pytest.raises(CampaignRefused, match="reason"):
        pay_held(campaign, submission, amount=Decimal("1.00"))
    assert {state for state, _ in payments(submission).values()} == {"held"}


def test_a_person_rejects_it_with_a_reason_and_may_take_that_back(fair, campaign):
    submission = forged(fair, campaign)

    reject(campaign, submission, why="No pair was judged.", who="ada")
    assert fair.crowd.rejections == {submission.assignment_id: "No pair was judged."}
    assert {state for state, _ in payments(submission).values()} == {"rejected"}
    assert held_work(campaign) == []

    override_rejection(campaign, submission, why="our page was away", who="ada")
    fair.collect(campaign)
    assert payments(submission)["reward", ""][0] == "paid"
    assert payments(submission)["bonus", "claimed"][0] == "held"
    pay_held(campaign, submission, who="ada")
    fair.collect(campaign)
    assert {state for state, _ in payments(submission).values()} == {"paid"}


def test_automatic_payments_of_the_crowd_are_recorded_and_the_rest_stays_held(fair, campaign):
    submission = forged(fair, campaign)
    assert note_paid_by_the_crowd(campaign) == 0

    with clock.shifted(timedelta(days=3, minutes=1)):
        assert note_paid_by_the_crowd(campaign) == 0  # the crowd has not paid yet
        fair.crowd.approve(submission.assignment_id)
        assert note_paid_by_the_crowd(campaign) == 1

    assert payments(submission)["reward", ""][0] == "paid"
    assert held_work(campaign)[0].amount == Decimal("1.80")
    assert compare_books(campaign).differences == []


def the_day_before_the_crowd_pays(campaign) -> None:
    """Run the collection job when less than 24 hours are left."""
    with clock.shifted(timedelta(days=2, minutes=1)):
        jobs.collect_job(progress=lambda *_: None, campaign_id=campaign.pk, sweep=True)


@pytest.mark.parametrize("answers", [{}, {"comment": "hello"}, ALL])
def test_work_without_a_judged_pair_is_rejected_before_the_crowd_pays_it(fair, campaign, answers):
    submission = forged(fair, campaign, answers=answers)
    with clock.shifted(timedelta(days=1, hours=23)):
        assert reject_unjudged(campaign) == 0  # until then a person can decide

    the_day_before_the_crowd_pays(campaign)

    why = fair.crowd.rejections[submission.assignment_id]
    assert why.startswith("No pair of this task was judged on our page, so it is not paid.")
    assert receipt_of(submission) in why
    assert {state for state, _ in payments(submission).values()} == {"rejected"}
    assert (fair.crowd.approvals, held_work(campaign), money(campaign)["held"]) == ([], [], 0)
    assert compare_books(campaign).differences == []
    change = campaign.changes.get(what=f"submission {submission.pk} rejected")
    assert (change.who, change.why) == ("", why)

    override_rejection(campaign, submission, why="our page was away", who="ada")
    the_day_before_the_crowd_pays(campaign)
    assert fair.crowd.approvals == [submission.assignment_id]
    assert compare_books(campaign).differences == []


def test_a_task_that_was_opened_and_posted_empty_is_rejected_too(fair, campaign):
    submission = fair.open_task(campaign, "AIDLE")
    session.give_consent(submission)
    fair.hand_in(submission, {})
    fair.collect(campaign)
    assert held_work(campaign)[0].why.startswith("No pair was judged on our page.")

    the_day_before_the_crowd_pays(campaign)

    assert submission.assignment_id in fair.crowd.rejections


@pytest.mark.parametrize("agreed", [True, False])
def test_the_time_of_a_form_that_skipped_our_last_page_is_no_time_of_a_whole_task(fair, campaign, agreed):
    submission = fair.open_task(campaign, "ASLY")
    if agreed:
        fair.answer(submission, only=2)
    else:
        submission.slots.all().delete()
        submission.consent.delete()
    fair.hand_in(submission, {})
    fair.collect(campaign)

    assert Submission.objects.get().left_early
    assert seconds_of_tasks(campaign) == []
    assert records_of(campaign).rows[0].tasks_timed == 0


def test_submissions_with_a_judged_pair_are_never_rejected_automatically(fair):
    campaign = fair.opened(pay="whole")
    stopped = fair.open_task(campaign, "ASTOPPED")
    fair.answer(stopped, only=1)
    session.finish(stopped)
    fair.hand_in(stopped)
    fair.collect(campaign)
    assert held_work(campaign)[0].rejects_itself_at is None

    the_day_before_the_crowd_pays(campaign)

    assert fair.crowd.rejections == {}
    assert [one.submission for one in held_work(campaign)] == [stopped]


@pytest.mark.parametrize("decided", ["paid", "off"])
def test_decided_submissions_and_a_zero_setting_prevent_automatic_rejection(
    fair, campaign, settings, decided
):
    submission = forged(fair, campaign)
    if decided == "paid":
        pay_held(campaign, submission, who="ada")
    else:
        settings.REJECT_UNJUDGED_HOURS = 0
        assert held_work(campaign)[0].pays_itself_at == submission.auto_approval_at

    the_day_before_the_crowd_pays(campaign)

    assert fair.crowd.rejections == {}


def test_the_receipt_of_work_without_a_judged_pair_promises_nothing(fair, campaign, client):
    submission = fair.open_task(campaign, "AIDLE")
    session.give_consent(submission)
    fair.hand_in(submission, {})
    fair.collect(campaign)
    page = page_address(submission, "")

    assert "Not paid unless the requester decides otherwise: no pair was judged" in text(client.get(page))
    the_day_before_the_crowd_pays(campaign)
    assert "Not paid: no pair was judged on our page." in text(client.get(page))


def test_a_campaign_waits_for_the_decision_before_it_closes(fair, campaign):
    submission = forged(fair, campaign)
    close(campaign)
    close_places(campaign)
    fair.collect(campaign)
    assert not finish_closing(campaign)
    assert "2 payments held for your decision" in campaign_status(campaign)["next"]

    reject(campaign, submission, why="No pair was judged.")
    assert finish_closing(campaign)
    assert Campaign.objects.get().state == "closed"


def test_repeated_collections_hold_it_once(fair, campaign):
    submission = forged(fair, campaign)
    Submission.objects.update(collected_at=None)

    collect(campaign, sweep=True)

    assert Payment.objects.filter(submission=submission).count() == 2


def run(*words: str) -> dict:
    out = io.StringIO()
    call_command(*words, "--json", stdout=out, stderr=io.StringIO())
    return json.loads(out.getvalue())


def test_the_command_lists_and_pays(fair, campaign):
    receipt = receipt_of(forged(fair, campaign))
    (row,) = run("held_payments", "fair")["held"]
    assert (row["receipt"], row["amount"], row["answered"]) == (receipt, 2.0, 5)

    done = run("held_payments", "fair", receipt, "--amount", "1.10", "--why", "half of it was done")

    assert (done["decided"], done["held"]) == (1.1, [])
