"""A person reads what a task pays, does part of one, finds the pay again to the cent, and deletes the account."""

import json
from decimal import Decimal

import pytest
from playwright.sync_api import Page, expect

from judging.models import Payment, Submission
from judging.money.discrepancies import receipt_of
from tests.chromium import shared_chromium
from tests.journeys.conftest import typed
from tests.journeys.person import Person
from tests.journeys.test_judging_in_chromium import GRADES, campaign

__all__ = ["campaign"]
pytestmark = [
    pytest.mark.soak,
    pytest.mark.browser,
    pytest.mark.journey,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("time_to_read"),
]
PASSWORD = "a horse reads passages"
WHOLE = "$2.00 for about 9 minutes, $13.33 an hour"


def judge_some(person: Person, pairs: int) -> None:
    """Judge this many pairs of the held task, then stop and submit."""
    page, frame = person.page, person.frame
    expect(frame.locator("#offer")).to_contain_text(WHOLE)
    frame.locator("#agree").click()
    frame.locator("#begin").click()
    for number in range(1, pairs + 1):
        person.shows(f"Pair {number} of 13")
        person.click(number)
    person.shows(f"Pair {pairs + 1} of 13")
    frame.locator("#leave").click()
    frame.locator("#stop").click()
    expect(page.locator("main[data-page=submitted]")).to_be_visible(timeout=30_000)


def choose_languages(page: Page, address: str) -> None:
    """Choose the languages that the worker reads: only English, then only German."""
    for language, listed in (("German", 0), ("English", 1)):
        page.goto(f"{address}/account/")
        for box in page.locator("#account-form input[name=languages]").all():
            box.uncheck()
        page.get_by_label(language).check()
        page.locator("#account-form button.main").click()
        page.goto(address)
        expect(page.locator("#open li[data-hit-type]")).to_have_count(listed)


def test_pay_is_stated_paid_and_listed_and_the_account_is_deleted(campaign, marketplace):
    address = marketplace["endpoint"]
    with shared_chromium() as browser:
        person = Person(browser.new_page(), GRADES)
        page = person.page
        person.sign_up(address, "martha")
        choose_languages(page, address)
        group = page.locator("#open li[data-hit-type]")
        expect(group).to_contain_text(f"Pays {WHOLE} ($0.20 reward and $1.80 bonus for the whole task)")
        expect(group).to_contain_text("13 pairs · texts in English · page in English")
        expect(group).to_contain_text("Time limit 1 hour")
        group.locator("form button").click()
        judge_some(person, 6)
        signed_in = page.context.storage_state()
    assert person.complaints == []

    typed("collect", "first")

    submission = Submission.objects.get()
    receipt = receipt_of(submission)
    amounts = dict(Payment.objects.filter(state="paid").values_list("kind", "amount"))
    assert amounts == {"reward": Decimal("0.20"), "bonus": Decimal("0.84")}  # 6 of 13 of $1.80, rounded up
    with shared_chromium() as browser:
        page = browser.new_context(storage_state=signed_in).new_page()
        page.goto(f"{address}/earnings/")
        expect(page.locator("#earned")).to_have_text("$1.04")
        page.goto(f"{address}/done/{submission.assignment_id}/")
        expect(page.locator("#together")).to_have_text("$1.04")
        expect(page.locator("#requesters-receipt")).to_contain_text(receipt)
        with page.expect_popup() as opened:
            page.locator("#requesters-receipt a").click()
        theirs = opened.value
        expect(theirs.locator("#task-receipt")).to_contain_text(receipt)
        expect(theirs.locator("#paid-so-far")).to_contain_text("$1.04")

        page.goto(f"{address}/account/")
        with page.expect_download() as saved:
            page.locator("#export").click()
        held = json.loads(saved.value.path().read_text())
        assert (held["account"]["username"], held["account"]["earned"]) == ("martha", "1.04")
        assert [bonus["amount"] for bonus in held["tasks"][0]["bonuses"]] == ["0.84"]
        page.goto(f"{address}/account/delete/")
        page.locator("#delete-form [name=waive]").check()
        page.locator("#delete-form [name=current]").fill(PASSWORD)
        page.locator("#delete-form button").click()
        expect(page.locator("main[data-page=deleted]")).to_be_visible()
        page.goto(address)
        expect(page.locator("#signin-form")).to_be_visible()
