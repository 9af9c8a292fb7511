"""A campaign observed and controlled in a browser, under axe-core: live figures, workers, decisions, the log."""

import pytest
from django.contrib.auth import get_user_model
from playwright.sync_api import Page, expect

from judging.errors import CrowdNever
from judging.intake.collection import collect
from judging.models import Appeal, Campaign, Discrepancy, GoldAnswer, PairReport
from judging.money.payments import pay_owed
from pooling.models import Membership, QrelSet
from tests.accessibility import Inspector
from tests.chromium import PATIENCE, follow
from tests.due_jobs import work_off_everything
from tests.web.campaign_cast import worker

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]


class Watcher:
    """The campaign's manager with a browser."""

    def __init__(self, page: Page, site: str, client, campaign) -> None:
        ada = get_user_model().objects.create_user("ada")
        Membership.objects.create(collection=campaign.collection, user=ada, role="manager")
        client.force_login(ada)
        self.page, self.home, self.inspector = page, f"{site}/campaigns/{campaign.name}/", Inspector()
        session = client.cookies["sessionid"].value
        page.context.add_cookies([{"name": "sessionid", "value": session, "url": site}])
        self.complaints: list[str] = []
        page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)

    def look(self, name: str) -> None:
        self.inspector.look(self.page, name)

    def press(self, name: str, role: str = "button") -> None:
        found = self.page.get_by_role(role, name=name, exact=role == "link").first
        if role == "link":
            follow(found)
        else:
            found.click()

    def decide(self, why: str, button: str) -> None:
        self.page.get_by_label("Why").fill(why)
        self.press(button)


def look_at_simulated_workers(watcher: Watcher, campaign) -> None:
    """View the page that offers them while nobody has worked, for a campaign at this machine's marketplace."""
    QrelSet.objects.create(collection=campaign.collection, name="truth", kind="graded", min_grade=1)
    rows, elsewhere = Campaign.objects.filter(pk=campaign.pk), campaign.endpoint
    rows.update(endpoint="http://127.0.0.1:8411")
    watcher.page.goto(f"{watcher.home}simulate/")
    expect(watcher.page.get_by_label("Simulated workers")).to_be_visible()
    watcher.look("simulated workers")
    rows.update(endpoint=elsewhere)
    watcher.page.goto(watcher.home)


@pytest.mark.soak
def test_a_campaign_is_observed_and_controlled(fair, crowd, campaign, client, page, live_server):
    watcher = Watcher(page, live_server.url, client, campaign)
    page.goto(watcher.home)
    judgments = page.locator("#live-progress .bar-words").first
    expect(judgments).to_contain_text("0 of 12 judgments counted")
    watcher.look("a campaign without work")
    look_at_simulated_workers(watcher, campaign)

    # New work appears automatically and is announced to screen readers.
    fair.do_task(campaign, "AGOOD")
    fair.do_task(campaign, "ABAD", pass_gold=False)
    fair.collect(campaign)
    expect(judgments).to_contain_text("3 of 12 judgments counted")
    expect(page.locator("#announced")).to_contain_text("of 12 judgments")
    expect(page.locator("#live-course svg")).not_to_have_count(0)

    # While updates are stopped, the figures do not change; afterwards they are requested at once.
    watcher.press("Stop updating")
    fair.do_task(campaign, "AGOOD")
    fair.collect(campaign)
    expect(judgments).to_contain_text("3 of 12 judgments counted")
    watcher.press("Stop updating")
    expect(judgments).to_contain_text("6 of 12 judgments counted")

    report = PairReport.objects.create(
        submission=worker("AGOOD").submissions.first(),
        slot=worker("AGOOD").submissions.first().slots.exclude(pair=None).first(),
        kind="broken",
        words="It stops in the middle.",
    )
    appeal = Appeal.objects.create(
        campaign=campaign, worker=worker("ABAD"), refusal="excluded", words="I read both."
    )
    expect(page.locator("#live-needs")).to_contain_text("1 appeal")
    watcher.look("a campaign at work")

    workers_and_decisions(watcher, crowd)
    steps(watcher)
    failed = GoldAnswer.objects.filter(worker=worker("ABAD"), passed=False).latest("pk").gold_pair_id
    Discrepancy.objects.create(submission=report.submission, kind="only_there", detail={"answered": 3})
    for name, address in {
        "gold pairs": "test-pairs/",
        "suspending": f"test-pairs/{failed}/suspend/",
        "taking out": f"workers/{worker('AGOOD').pk}/withdraw/",
        "differences": "differences/",
        "top-up": "top-up/?minimum=15",
        "reports": f"reports/?show=all#r{report.pk}",
        "appeal": f"appeals/{appeal.pk}/",
        "budget": "budget/",
        "close": "steps/close/",
        "activity": "activity/",
    }.items():
        page.goto(watcher.home + address)
        watcher.look(name)
    log = page.locator("tbody")
    expect(log).to_contain_text("chose by chance")
    expect(log).to_contain_text("a mistake of mine")
    expect(log).to_contain_text("lunch")
    expect(log).to_contain_text("ada")

    assert "\n".join(watcher.inspector.faults) == ""
    assert watcher.complaints == []


def workers_and_decisions(watcher: Watcher, crowd) -> None:
    """Exclude and reinstate a worker, each with a preview, and send a message."""
    page, good = watcher.page, worker("AGOOD").pk
    watcher.press("Workers", "link")
    expect(page.locator("tbody tr")).to_have_count(2)
    watcher.look("workers")
    watcher.press(f"worker {good}", "link")
    watcher.look("a worker")
    watcher.press("Exclude", "link")
    foreseen = page.locator("#foreseen")
    expect(foreseen).to_contain_text("6 stop counting")
    expect(foreseen).to_contain_text("$4.80")
    watcher.look("excluding")
    watcher.decide("chose by chance", f"Exclude worker {good} and spend up to $4.80")
    expect(page.get_by_role("status").first).to_contain_text("is excluded")
    expect(page.get_by_role("button", name="Undo the exclusion")).to_be_visible()
    watcher.press("Reinstate", "link")
    expect(page.locator("#foreseen")).to_contain_text("2 tasks with 6 judgments")
    watcher.look("reinstating")
    watcher.decide("a mistake of mine", f"Reinstate worker {good}")
    expect(page.get_by_role("status").first).to_contain_text("2 tasks count again")

    watcher.press("Write", "link")
    page.get_by_label("Subject").fill("Thank you")
    page.get_by_label("Text").fill("Your work helps.")
    watcher.press("Preview message")
    expect(page.locator(".preview")).to_contain_text(f"worker {good}")
    watcher.look("a message")
    watcher.press("Send to 1 worker")
    expect(page.get_by_role("status").first).to_contain_text("on its way")
    work_off_everything()
    page.reload()
    expect(page.locator("section", has=page.locator("#h-messages"))).to_contain_text("sent")
    assert crowd.messages.count(("AGOOD", "Thank you", "Your work helps.")) == 1


def steps(watcher: Watcher) -> None:
    """Pause with a reason, and resume."""
    page = watcher.page
    page.goto(watcher.home)
    page.get_by_text("Pause or close").click()
    watcher.press("Pause", "link")
    watcher.look("pausing")
    watcher.decide("lunch", "Pause fair")
    expect(page.locator("h1 .state")).to_have_text("paused")
    watcher.press("Resume", "link")
    watcher.look("resuming")
    watcher.decide("", "Resume fair and spend up to")
    expect(page.locator("h1 .state")).to_have_text("open")


def test_without_scripts_the_page_shows_the_same(fair, campaign, client, page, live_server):
    context = page.context.browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.set_default_timeout(PATIENCE)
    Watcher(plain, live_server.url, client, campaign)
    fair.do_task(campaign, "AGOOD")
    fair.collect(campaign)
    plain.goto(f"{live_server.url}/campaigns/fair/")

    plain.get_by_role("link", name="Refresh").click()

    expect(plain.locator("body")).to_contain_text("3 of 12 judgments counted")
    expect(plain.get_by_role("button", name="Stop updating")).to_be_hidden()
    context.close()


def test_a_payment_that_the_crowd_refuses_is_settled(fair, campaign, client, page, live_server):
    fair.do_task(campaign, "A1")
    collect(campaign, sweep=True)
    fair.crowd.fail("pay_bonus", CrowdNever("Worker A1 is here no more"))
    pay_owed(campaign)
    watcher = Watcher(page, live_server.url, client, campaign)
    page.goto(watcher.home)
    expect(page.locator("#live-needs")).to_contain_text("Worker A1 is here no more")
    watcher.press("Payments", "link")
    watcher.look("payments, one refused")
    page.get_by_label("How it was settled").fill("gift card")
    watcher.press("Settle")
    expect(page.locator("#settled")).to_contain_text("gift card")
    watcher.look("payments, one settled")
    assert "\n".join(watcher.inspector.faults) == ""
    assert watcher.complaints == []
