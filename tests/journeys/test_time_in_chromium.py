"""Returning, stopping, resuming and running out of time, in a real browser at the marketplace; pay to the cent."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from playwright.sync_api import expect

from config import clock
from judging.deadlines import GRACE
from judging.models import Campaign, Payment, Submission
from judging.services.ledger import compare
from tests.journeys.conftest import typed
from tests.journeys.person import Person
from tests.journeys.test_judging_in_chromium import GRADES, campaign

__all__ = ["campaign"]
pytestmark = [
    pytest.mark.browser,
    pytest.mark.journey,
    pytest.mark.soak,
    pytest.mark.django_db(transaction=True),
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


def judge(person: Person, count: int) -> None:
    person.frame.get_by_role("button", name="Show first pair").click()
    for number in range(1, count + 1):
        person.shows(f"Pair {number} of 13")
        person.click(number)
    person.shows(f"Pair {count + 1} of 13")
    expect(person.frame.locator("#saved")).to_have_text("saved just now")


def paid(person: Person, amount: str) -> None:
    """The product's ledger, the crowd's books and what the worker reads agree to the cent."""
    typed("collect", "first")
    typed("collect", "first")
    made = Payment.objects.filter(state=Payment.State.PAID)
    assert sum(one.amount for one in made) == Decimal(amount)
    assert Payment.objects.count() == made.count()
    books = compare(Campaign.objects.get(name="first"))
    assert (books.ours, books.theirs, books.differences) == (Decimal(amount), Decimal(amount), [])
    person.page.goto(f"{person.address}/earnings/")
    expect(person.page.locator("#earned")).to_have_text(f"${amount}")
    person.page.goto(f"{person.address}/done/")
    expect(person.page.locator("#earned")).to_have_text(f"${amount}")


def time_passes(**changes: timedelta) -> None:
    """The last task's deadlines are so long from now."""
    last = Submission.objects.latest("pk")
    Submission.objects.filter(pk=last.pk).update(
        **{name: clock.now() + left for name, left in changes.items()}
    )


def test_returning_asks_first_and_the_task_goes_on_where_it_stopped(person):
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


def test_more_time_is_one_click_and_at_the_end_the_page_sends_off_what_is_judged(person):
    take(person)
    judge(person, 5)
    time_passes(ends_at=timedelta(seconds=100))
    person.page.reload()
    expect(person.frame.locator("#hurry")).to_contain_text("Less than five minutes are left for this task.")

    person.frame.get_by_role("button", name="Give me 1 hour more").click()
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


def test_work_on_a_page_that_was_closed_is_kept_and_paid_by_what_was_saved(person):
    take(person)
    judge(person, 5)
    address = person.page.url
    person.page.goto(person.address)
    time_passes(ends_at=-timedelta(minutes=10))
    typed("collect", "first")
    assert Submission.objects.get().state == "finished"

    # The time at the crowd is over as well.
    person.page.route("**/externalSubmit", lambda route: route.abort())
    person.page.goto(address)
    time_passes(crowd_ends_at=-GRACE - timedelta(minutes=1))
    person.page.get_by_role("button", name="Return task").click()
    person.page.locator("#return-anyway").click()
    paid(person, "0.90")
    expect(person.page.locator("#unsubmitted")).to_contain_text("Pay for 5 of 13 pairs judged")


def test_five_tasks_without_a_judged_pair_are_the_last_until_a_person_says_so_and_pay_nothing(person):
    for left in (5, 4, 3, 2):
        take(person)
        expect(person.frame.locator("#begin")).to_be_visible()
        person.page.wait_for_timeout(200)
        person.page.get_by_role("button", name="Return task").click()
        expect(person.page.get_by_role("button", name="Take a task for")).to_be_visible()
        assert Submission.objects.count() == 6 - left
    take(person)
    # The crowd's form, sent past our page: an empty task.
    person.page.context.request.post(
        f"{person.address}/mturk/externalSubmit",
        form={"assignmentId": Submission.objects.latest("pk").assignment_id, "comment": "x"},
    )
    typed("collect", "first")

    person.page.goto(person.address)
    person.page.get_by_role("link", name="Which passage answers").click()
    person.page.get_by_role("button", name="Take a task for").click()

    expect(person.frame.locator("main")).to_have_attribute("data-reason", "unfinished")
    assert {one.state for one in Payment.objects.all()} == {"held"}
    person.page.goto(f"{person.address}/earnings/")
    expect(person.page.locator("#earned")).to_have_text("$0.00")
