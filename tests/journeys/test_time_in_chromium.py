"""Returning, stopping, resuming and running out of time, in a real browser at the marketplace; pay to the cent."""

from datetime import timedelta
from decimal import Decimal

import pytest
from playwright.sync_api import expect

from config import clock
from judging.exchange.link_tokens import page_address
from judging.intake.kept_work import FORM_FOLLOWS
from judging.models import Campaign, Payment, Submission
from judging.money.ledger import compare_books
from judging.rules.deadlines import GRACE
from judging.tasks.lease_ends import end_submission
from tests.journeys.conftest import typed
from tests.journeys.person import Person
from tests.journeys.test_judging_in_chromium import GRADES, campaign

__all__ = ["campaign"]
pytestmark = [
    pytest.mark.browser,
    pytest.mark.journey,
    pytest.mark.soak,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("time_to_read"),
]


@pytest.fixture
def person(campaign, marketplace, page) -> Person:
    someone = Person(page, GRADES)
    someone.sign_up(marketplace["endpoint"], "martha")
    someone.address = marketplace["endpoint"]
    return someone


def take(person: Person) -> None:
    person.page.goto(person.address)
    person.page.get_by_role("link", name="Which passage answers").click()
    person.page.get_by_role("button", name="Take a task for").click()
    person.frame.get_by_role("button", name="I agree").click()
    # A reload before the response would show the consent text again.
    expect(person.frame.locator("#hurry")).to_be_attached()


def judge(person: Person, count: int) -> None:
    person.frame.get_by_role("button", name="Show first pair").click()
    for number in range(1, count + 1):
        person.shows(f"Pair {number} of 13")
        person.click(number)
    person.shows(f"Pair {count + 1} of 13")
    expect(person.frame.locator("#saved")).to_have_text("saved just now")


def paid(person: Person, amount: str) -> None:
    """Check that the product's ledger, the crowd's books and the worker's pages agree to the cent."""
    typed("collect", "first")
    typed("collect", "first")
    made = Payment.objects.filter(state=Payment.State.PAID)
    assert sum(one.amount for one in made) == Decimal(amount)
    assert Payment.objects.count() == made.count()
    books = compare_books(Campaign.objects.get(name="first"))
    assert (books.ours, books.theirs, books.differences) == (Decimal(amount), Decimal(amount), [])
    person.page.goto(f"{person.address}/earnings/")
    expect(person.page.locator("#earned")).to_have_text(f"${amount}")
    person.page.goto(f"{person.address}/done/")
    expect(person.page.locator("#earned")).to_have_text(f"${amount}")


def time_passes(**changes: timedelta) -> None:
    """Move the last task's deadlines to these times from now."""
    last = Submission.objects.latest("pk")
    Submission.objects.filter(pk=last.pk).update(
        **{name: clock.now() + left for name, left in changes.items()}
    )


def test_returning_needs_confirmation_and_the_task_continues_where_it_stopped(person):
    take(person)
    asking = person.page.locator("#returning")
    judge(person, 7)

    person.page.get_by_role("button", name="Return task").click()
    expect(asking).to_contain_text("You have done 7 of 13. Submitting it now pays $1.17.")
    expect(asking).to_contain_text("Returning it pays nothing.")
    asking.get_by_role("button", name="Keep working").click()
    person.shows("Pair 8 of 13")
    person.page.get_by_role("button", name="Return task").click()
    asking.get_by_role("button", name="Return task").click()
    expect(person.page.get_by_role("button", name="Take a task for")).to_be_visible()
    assert Payment.objects.count() == 0

    take(person)
    person.shows("Pair 8 of 13")
    person.click(8)
    person.page.get_by_role("button", name="Return task").click()
    expect(asking).to_contain_text("You have done 8 of 13. Submitting it now pays $1.31.")
    asking.get_by_role("button", name="Stop and submit what I have").click()
    expect(person.frame.locator("body")).to_contain_text("you are paid $1.31")
    person.frame.get_by_role("button", name="Stop and submit what I have").click()
    expect(person.page.locator("[data-refusal], #next-form").first).to_be_visible()
    paid(person, "1.31")
    assert sorted(Submission.objects.values_list("state", flat=True)) == ["returned", "submitted"]


def test_a_task_without_a_judged_pair_is_returned_without_a_question(person):
    take(person)
    expect(person.frame.locator("#begin")).to_be_visible()
    person.page.wait_for_timeout(200)

    person.page.get_by_role("button", name="Return task").click()

    expect(person.page.get_by_role("button", name="Take a task for")).to_be_visible()


def test_a_task_that_our_page_refuses_is_returned_automatically(person):
    """Otherwise it would stay among the worker's tasks and block its place for others."""
    Campaign.objects.update(state=Campaign.State.PAUSED)
    person.page.goto(person.address)
    person.page.get_by_role("link", name="Which passage answers").click()
    person.page.get_by_role("button", name="Take a task for").click()

    expect(
        person.page.get_by_text("This task was returned because its page has nothing for you")
    ).to_be_visible()
    expect(person.frame.get_by_text("Nothing: the task site took the task back")).to_be_visible()
    expect(person.page.get_by_role("button", name="Return task")).to_be_hidden()
    person.page.wait_for_timeout(
        2500
    )  # requesting the task's state would reload the page and hide the reason
    expect(person.frame.get_by_role("heading", name="This campaign is paused")).to_be_visible()
    person.page.get_by_role("link", name="See other tasks").click()
    expect(person.page.get_by_text("Your current tasks")).to_have_count(0)

    Campaign.objects.update(state=Campaign.State.OPEN)
    take(person)
    expect(person.frame.locator("#begin")).to_be_visible()


def test_a_task_that_our_server_ended_is_returned_when_its_worker_opens_it(person):
    take(person)
    address = person.page.url
    person.page.goto(person.address)
    end_submission(Submission.objects.get(), Submission.State.LAPSED)

    person.page.goto(address)

    expect(person.frame.get_by_role("heading", name="The time for this task has run out")).to_be_visible()
    expect(person.page.get_by_text("This task was returned")).to_be_visible()
    person.page.get_by_role("link", name="See other tasks").click()
    expect(person.page.get_by_text("Your current tasks")).to_have_count(0)


def test_an_earlier_status_request_does_not_undo_an_extension(person):
    take(person)
    time_passes(ends_at=timedelta(seconds=100))
    person.page.reload()
    expect(person.frame.locator("#hurry")).to_be_visible()
    person.page.wait_for_timeout(2000)  # the page checks no more often than this
    on_the_way = []
    person.page.route("**/state", lambda route: on_the_way.append((route, route.fetch())))
    person.frame.locator("html").evaluate("() => { window.dispatchEvent(new Event('focus')) }")
    while not on_the_way:
        person.page.wait_for_timeout(20)

    person.frame.get_by_role("button", name="Add 1 hour").click()
    expect(person.frame.locator("#longer")).to_have_text("You have more time now.")
    with person.page.expect_response("**/state"):
        route, reply = on_the_way[0]
        route.fulfill(response=reply)
    person.page.wait_for_timeout(200)

    expect(person.frame.locator("#hurry")).to_be_hidden()
    expect(person.frame.locator("#longer")).to_have_text("You have more time now.")


def test_more_time_is_one_click_and_the_page_submits_judged_pairs_at_the_end(person):
    take(person)
    judge(person, 5)
    time_passes(ends_at=timedelta(seconds=100))
    person.page.reload()
    expect(person.frame.locator("#hurry")).to_contain_text("Less than five minutes are left")

    person.frame.get_by_role("button", name="Add 1 hour").click()
    expect(person.frame.locator("#longer")).to_have_text("You have more time now.")
    expect(person.frame.locator("#hurry")).to_be_hidden()
    expect(person.frame.locator("#more-time")).to_have_count(0)
    time_passes(ends_at=timedelta(seconds=6))
    person.page.reload()
    expect(person.frame.locator("#hurry")).to_be_visible()
    expect(person.frame.locator("#more-time")).to_have_count(0)

    expect(person.page.locator("[data-refusal], #next-form").first).to_be_visible(timeout=30_000)
    submission = Submission.objects.get()
    assert submission.timed_out_at
    paid(person, "0.90")  # 0.20 + 1.80 x 5 / 13, a part of a cent rounded up


def test_saved_choices_of_a_closed_page_are_counted_and_paid(person):
    take(person)
    judge(person, 5)
    address = person.page.url
    person.page.goto(person.address)
    time_passes(ends_at=-timedelta(minutes=10))
    typed("collect", "first")
    assert Submission.objects.get().state == "finished"

    # The crowd's deadline has passed as well.
    person.page.route("**/externalSubmit", lambda route: route.abort())
    person.page.goto(address)
    time_passes(crowd_ends_at=-GRACE - timedelta(minutes=1))
    person.page.get_by_role("button", name="Return task").click()
    person.page.locator("#return-anyway").click()
    paid(person, "0.90")
    expect(person.page.locator("#unsubmitted")).to_contain_text("Pay for 5 of 13 pairs judged")
    person.page.goto(f"{person.address}/earnings/")
    expect(person.page.locator("#unsubmitted")).to_contain_text("Pay for 5 of 13 pairs judged")
    expect(person.page.locator("#months td[data-label=Tasks]")).to_have_text("1")


def returned_at_the_crowd(person: Person) -> None:
    person.page.get_by_role("button", name="Return task").click()
    person.page.locator("#return-anyway").click()
    expect(person.page.get_by_role("button", name="Take a task for")).to_be_visible()


def test_a_slow_answer_to_a_return_is_still_what_the_worker_sees(person):
    take(person)
    judge(person, 1)
    on_the_way = []
    person.page.route("**/return/", lambda route: on_the_way.append((route, route.fetch(max_redirects=0))))

    person.page.get_by_role("button", name="Return task").click()
    person.page.locator("#return-anyway").click(no_wait_after=True)
    person.page.wait_for_timeout(5000)  # the page checks every two seconds whether the task is still held
    route, reply = on_the_way[0]
    route.fulfill(response=reply)

    expect(person.page.get_by_role("button", name="Take a task for")).to_be_visible()


def test_finishing_a_returned_task_on_its_old_page_pays_nothing_and_the_next_worker_is_paid(person, window):
    take(person)
    judge(person, 5)
    old = person.page.context.new_page()
    old.goto(person.page.frames[1].url)
    returned_at_the_crowd(person)

    old.locator("#leave").click()
    old.get_by_role("button", name="Stop and submit what I have").click()
    expect(old.locator("h1")).to_have_text("This task is no longer yours.")
    next_one = Person(window().new_page(), GRADES)
    next_one.sign_up(person.address, "nora")
    next_one.address = person.address
    take(next_one)
    judge(next_one, 1)
    next_one.page.get_by_role("button", name="Return task").click()
    next_one.page.locator("#stop-and-submit").click()
    next_one.frame.get_by_role("button", name="Stop and submit what I have").click()
    expect(next_one.page.locator("[data-refusal], #next-form").first).to_be_visible()

    with clock.shifted(FORM_FOLLOWS + timedelta(seconds=30)):
        paid(next_one, "0.34")
    first, second = Submission.objects.order_by("pk")
    assert (first.state, first.payments.count(), second.task) == ("returned", 0, first.task)
    old.goto(page_address(first, person.address))
    expect(old.locator("main")).to_have_attribute("data-reason", "returned")
    person.page.goto(f"{person.address}/earnings/")
    expect(person.page.locator("#earned")).to_have_text("$0.00")


def test_a_task_returned_after_it_was_submitted_is_paid_once_and_offered_to_nobody_else(person):
    take(person)
    judge(person, 5)
    address = person.page.url
    person.page.route("**/externalSubmit", lambda route: route.abort())
    person.page.get_by_role("button", name="Return task").click()
    person.page.locator("#stop-and-submit").click()
    person.frame.get_by_role("button", name="Stop and submit what I have").click()
    person.page.wait_for_timeout(500)
    person.page.goto(address)
    returned_at_the_crowd(person)

    with clock.shifted(FORM_FOLLOWS + timedelta(seconds=30)):
        paid(person, "0.90")

    place = Submission.objects.get().place
    assert (place.state, place.submissions.count()) == ("gone", 1)


def test_after_five_tasks_without_a_judged_pair_no_more_are_offered_and_none_is_paid(person):
    for left in (5, 4, 3, 2):
        take(person)
        expect(person.frame.locator("#begin")).to_be_visible()
        person.page.wait_for_timeout(200)
        person.page.get_by_role("button", name="Return task").click()
        expect(person.page.get_by_role("button", name="Take a task for")).to_be_visible()
        assert Submission.objects.count() == 6 - left
    take(person)
    # The task's page reloads when it is submitted elsewhere, and would interrupt the next navigation.
    person.page.goto(person.address)
    # The crowd's form, sent without our page: an empty task.
    person.page.context.request.post(
        f"{person.address}/mturk/externalSubmit",
        form={"assignmentId": Submission.objects.latest("pk").assignment_id, "comment": "x"},
    )
    typed("collect", "first")

    # The tasks are no longer offered, and the home page says why.
    person.page.reload()
    expect(person.page.get_by_role("button", name="Take a task")).to_have_count(0)
    expect(person.page.locator("#closed")).to_contain_text("left too many of them unfinished")
    assert {one.state for one in Payment.objects.all()} == {"held"}
    person.page.goto(f"{person.address}/earnings/")
    expect(person.page.locator("#earned")).to_have_text("$0.00")
    person.page.goto(f"{person.address}/done/")
    expect(person.page.locator("table.done")).to_contain_text("if the requester decides to pay")
    expect(person.page.locator("table.done")).not_to_contain_text("1.80")
    # The day before the crowd would pay it.
    with clock.shifted(timedelta(days=6, minutes=1)):
        typed("collect", "first")
    assert {one.state for one in Payment.objects.all()} == {"rejected"}
    person.page.reload()
    expect(person.page.locator("table.done")).to_contain_text("No pair of this task was judged on our page")
    books = compare_books(Campaign.objects.get(name="first"))
    assert (books.ours, books.theirs, books.differences) == (Decimal(0), Decimal(0), [])
