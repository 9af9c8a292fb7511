"""A campaign's life before launch: rehearsed without people, tried by a reviewer, piloted, and closed."""

from collections import Counter
from itertools import islice
from urllib.parse import urlencode

import pytest
import urllib3
from playwright.sync_api import expect

from config import clock
from config.settings import BASE_DIR
from judging.campaign.rehearsal_copy import keep_people_out, rehearsal_of
from judging.crowds.arrival import SIGNATURE
from judging.exchange.link_tokens import link_for
from judging.intake.places import post_places
from judging.launch.launches import launch_campaign
from judging.models import Campaign, Judgment, Place, Submission
from judging.simulation.browser import Browser
from marketplace.protocol.arrival_signature import sign
from pooling.models import Collection, Passage, Pool, PooledPassage, Qrel
from tests.chromium import shared_chromium
from tests.journeys.conftest import typed

pytestmark = [
    pytest.mark.soak,
    pytest.mark.browser,
    pytest.mark.journey,
    pytest.mark.django_db(transaction=True),
]
SAMPLE = BASE_DIR / "docs" / "sample"
CREW = ("--workers", 4, "--truth", "labels", "--error", 0, "--gold-error", 0)


@pytest.fixture
def campaign(site) -> Campaign:
    """Two questions with five passages each: 20 pairs, two tasks."""
    files = ("--queries", SAMPLE / "queries.tsv", "--passages", SAMPLE / "passages.tsv")
    typed("import_collection", "meadow", *files, "--all-passages")
    typed("import_qrels", "meadow", SAMPLE / "grades.txt", "--set", "labels")
    collection = Collection.objects.get(name="meadow")
    labels = collection.qrel_sets.get(name="labels")
    pool = Pool.objects.create(collection=collection, name="tops", qrel_set=labels)
    labeled = Counter(Qrel.objects.filter(qrel_set=labels).values_list("query_id", flat=True))
    for query, _ in islice(((query, n) for query, n in sorted(labeled.items()) if n >= 5), 2):
        for passage in Passage.objects.filter(pk__in=Qrel.objects.filter(query=query).values("passage"))[:5]:
            PooledPassage.objects.create(pool=pool, query_id=query, passage=passage, is_qrel=True)
    typed("create_campaign", "first", "--pool", "tops", "--max-tasks-per-worker", 2, "--seed", 7)
    typed("propose_gold", "first")
    typed("accept_gold", "first", "--all")
    typed("set_texts", "first", "--accept")
    return Campaign.objects.get(name="first")


def fetched(address: str, **options) -> urllib3.BaseHTTPResponse:
    """Return one page, over a connection that is closed afterwards."""
    with urllib3.PoolManager() as http:
        return http.request("GET", address, **options)


def interrupted(*_args: object) -> None:
    """Replace a worker's browser by one whose process is killed while it holds a task."""
    raise KeyboardInterrupt


def test_people_cannot_take_a_rehearsals_tasks_and_it_continues_after_an_interruption(
    campaign, marketplace, monkeypatch
):
    copy = rehearsal_of(campaign)
    keep_people_out(copy)
    launch_campaign(copy)
    post_places(copy)
    person = Browser(marketplace["endpoint"])
    worker = person.sign_up("martha", "a horse reads passages")
    posting = copy.postings.get()

    # A person neither sees nor gets it at the marketplace, and the judging page refuses its address.
    cookies = "; ".join(f"{name}={value}" for name, value in person.cookies.items())
    home = fetched(marketplace["endpoint"], headers={"Cookie": cookies}).data.decode()
    assert worker in home
    assert posting.crowd_key not in home
    assert person.take(posting.crowd_key) is None
    place = Place.objects.filter(posting=posting).first()
    ids = {"assignment_id": "3OTHERS", "hit_id": place.crowd_id, "worker_id": worker}
    signature = sign([marketplace["secret_key"]], taken_at=clock.now(), **ids)
    signed = {"assignmentId": "3OTHERS", "hitId": place.crowd_id, "workerId": worker, SIGNATURE: signature}
    refused = fetched(f"{link_for(posting)}?{urlencode(signed)}")
    assert (refused.status, "This is a rehearsal" in refused.data.decode()) == (403, True)

    with monkeypatch.context() as patch:
        patch.setattr(Browser, "send_off", interrupted)
        with pytest.raises(SystemExit):
            typed("rehearse_campaign", "first", *CREW)
    assert {*copy.tasks.values_list("state", flat=True)} == {"held"}

    told = typed("rehearse_campaign", "first", *CREW)

    assert (told["state"], told["rehearsal"], told["exclusions"]) == ("rehearsed", "first-rehearsal", 0)
    assert told["judgments"]["counted"] == 20
    copy.refresh_from_db()
    assert copy.state == Campaign.State.CLOSED
    assert {*Judgment.objects.values_list("judge_kind", "campaign__name")} == {
        ("simulated", "first-rehearsal")
    }
    assert not Submission.objects.filter(worker__simulated=False).exists()


def test_reviewer_tries_a_task_in_a_browser_and_a_pilot_follows(campaign, marketplace):
    link = typed("trial_link", "first")["link"]
    with shared_chromium() as browser:
        page = browser.new_page()
        complaints: list[str] = []
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.goto(link)
        page.get_by_role("button", name="Begin trial").click()
        page.get_by_role("button", name="I agree").click()
        page.get_by_role("button", name="Show first pair").click()
        expect(page.get_by_text("This is a reviewer's trial")).to_be_visible()
        for number in range(1, 14):
            expect(page.locator("#place-words")).to_have_text(f"Pair {number} of 13")
            page.keyboard.press("1")
        page.get_by_role("button", name="Submit task").click()
        expect(page.get_by_role("heading", name="Trial finished")).to_be_visible()
        expect(page.locator("#paid")).to_have_text("$2.00")
        assert complaints == []
    assert not Judgment.objects.exists()

    told = typed("pilot_campaign", "first", "--tasks", 1, "--accept-weak-screening")
    assert (told["state"], told["posted" if "posted" in told else "places"]) == ("piloting", 1)
    typed("simulate_workers", "first", *CREW)
    told = typed("pilot_campaign", "first")
    assert (told["state"], told["pilot"]["submitted"], told["pilot"]["excluded"]) == ("piloted", 1, 0)
    assert {row["pass_rate"] for row in told["pilot"]["gold"]} == {1.0}
    assert typed("launch_campaign", "first", "--accept-weak-screening")["places"] == 2
    closed = typed("close_campaign", "first")
    assert (closed["state"], closed["waits_for"]) == ("closed", "")
