"""From a judged campaign over real runs to version 2 and its bundle, in a browser, under axe-core."""

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from playwright.sync_api import Page, expect

from config.clock import now
from judging.campaign.campaigns import CampaignSettings, create_campaign
from judging.models import Campaign, Judgment, TaskPair
from pooling.collections.lookups import runs_tagged
from pooling.intake.collections import import_collection
from pooling.labels.qrels import import_qrels
from pooling.models import Membership, Qrel
from pooling.pools.pools import build_pool
from pooling.runs.runs import import_run
from tests.accessibility import WIDER, Inspector
from tests.chromium import PATIENCE, follow
from tests.due_jobs import work_off_everything
from tournament.services import advance_challenges, publish_qrels

pytestmark = [
    pytest.mark.soak,
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]
OLD = ("p_bm25", "ihsm_colbert64", "TUW_TAS-B_768")
NEW = "pash_r2"
QUERIES = 8
MOST_JUDGMENTS = 5


def judge_everything(campaign: Campaign) -> None:
    """Judge every requested pair by grade, or by the greater pid if the grades are equal."""
    grade = {
        (row.query_id, row.passage_id): row.grade
        for row in Qrel.objects.filter(qrel_set__collection=campaign.collection)
    }
    for row in TaskPair.objects.filter(task__campaign=campaign).select_related(
        "pair__passage_a", "pair__passage_b"
    ):
        pair, sides = row.pair, (row.pair.passage_a, row.pair.passage_b)
        best = max(sides, key=lambda one: (grade.get((pair.query_id, one.pk), 0), one.pid))
        Judgment.objects.create(
            campaign=campaign,
            pair=pair,
            left=sides[0],
            right=sides[1],
            preferred=best,
            judge_kind="simulated",
        )
        row.delete()


@pytest.fixture
def campaign(db, shared_data, tmp_path) -> Campaign:
    """Some queries of TREC 2021 and three of its runs, judged and published; a fourth run has arrived."""
    data = shared_data / "dl21"
    labeled = sorted({line.split()[0] for line in (data / "qrels.txt").read_text().splitlines()})[:QUERIES]
    topics = [
        line for line in (data / "topics.tsv").read_text().splitlines() if line.split("\t")[0] in labeled
    ]
    (tmp_path / "queries.tsv").write_text("\n".join(topics))
    kept = [line for line in (data / "qrels.txt").read_text().splitlines() if line.split()[0] in labeled]
    (tmp_path / "qrels.txt").write_text("\n".join(kept))
    collection = import_collection(name="dl21", queries=tmp_path / "queries.tsv").collection
    official = import_qrels(
        collection=collection, path=tmp_path / "qrels.txt", set_name="official", min_grade=2
    ).qrel_set
    for tag in (*OLD, NEW):
        import_run(collection=collection, path=data / "runs" / f"{tag}.txt.gz", skip_unknown=True)
    runs = runs_tagged(collection, list(OLD))
    pool = build_pool(collection=collection, name="tops", runs=runs, qrel_set=official)
    made = create_campaign(name="first", pool=pool, settings=CampaignSettings(placeholder_text=True))
    Campaign.objects.filter(pk=made.pk).update(state="open", launched_at=now())
    made.refresh_from_db()
    judge_everything(made)
    publish_qrels(campaign=made)
    return made


@pytest.fixture
def desk(campaign, page, live_server) -> Page:
    """The owner's desktop browser, on the list of runs."""
    owner = get_user_model().objects.create_user("owner")
    Membership.objects.create(collection=campaign.collection, user=owner, role="owner")
    client = Client()
    client.force_login(owner)
    session = client.cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    page.goto(f"{live_server.url}/collections/dl21/runs/")
    return page


def test_a_new_run_becomes_version_2_in_the_browser(campaign, desk):
    inspector = Inspector()

    challenged(campaign, desk, inspector)
    published(desk, inspector)
    read(desk, inspector)
    bundled(desk, inspector)

    assert desk.evaluate(WIDER) == 0
    assert inspector.faults == [], "\n".join(inspector.faults)


def challenged(campaign: Campaign, page: Page, inspector: Inspector) -> None:
    """Go from the run's page to a judged challenge."""
    page.get_by_role("link", name=NEW).click()
    page.get_by_role("link", name="unseen").click()
    expect(page.get_by_label(NEW)).to_be_checked()
    inspector.look(page, "choosing new runs")
    page.get_by_role("button", name="Show unseen passages and cost").click()
    work_off_everything()
    button = page.get_by_role("button", name="Challenge and spend up to $")
    expect(button).to_be_visible(timeout=PATIENCE)
    page.get_by_text("Comparisons").click()
    inspector.look(page, "what is unseen")
    button.click()
    work_off_everything()
    expect(page.get_by_text("Challenge 1 is open")).to_be_visible(timeout=PATIENCE)
    inspector.look(page, "a challenge that asks")
    for _ in range(MOST_JUDGMENTS):  # a pair is judged again until one side leads by two
        judge_everything(campaign)
        advance_challenges(campaign=campaign)
    page.reload()
    expect(page.get_by_role("cell", name="done")).to_be_visible()


def published(page: Page, inspector: Inspector) -> None:
    """Preview the changes, then publish."""
    page.get_by_role("link", name="Publish the next version").click()
    page.get_by_role("button", name="Show what publishing would change").click()
    work_off_everything()
    publish = page.get_by_role("button", name="Publish version 2 of dl21")
    expect(publish).to_be_visible(timeout=PATIENCE)
    inspector.look(page, "what publishing would change")
    publish.click()
    work_off_everything()
    expect(page.get_by_text("Version 2 is published.")).to_be_visible(timeout=PATIENCE)
    inspector.look(page, "published")


def read(page: Page, inspector: Inspector) -> None:
    """View the leaderboard with rank changes, both versions side by side, the version, a query."""
    page.get_by_role("link", name="Leaderboard with rank changes").click()
    row = page.get_by_role("row").filter(has=page.get_by_role("link", name=NEW, exact=True))
    expect(row).to_be_visible()
    inspector.look(page, "the leaderboard with moves")
    page.get_by_role("link", name="What changed and why").click()
    expect(page.get_by_text(f"challenge 1 added 1 new passage, with {NEW}").first).to_be_visible()
    inspector.look(page, "two versions side by side")
    follow(page.get_by_role("link", name="version 2", exact=True))
    inspector.look(page, "the version")
    follow(page.locator("table.queries tbody a").first)
    inspector.look(page, "a query")


def bundled(page: Page, inspector: Inspector) -> None:
    """Count, create and download the bundle."""
    page.get_by_role("link", name="version 2", exact=True).first.click()
    page.get_by_role("link", name="bundle to publish").click()
    page.get_by_role("button", name="Count contents").click()
    work_off_everything()
    make = page.get_by_role("button", name="Make the bundle of version 2")
    expect(make).to_be_visible(timeout=PATIENCE)
    inspector.look(page, "what goes into the bundle")
    make.click()
    work_off_everything()
    link = page.get_by_role("link", name="Download dl21-version-2.zip")
    expect(link).to_be_visible(timeout=PATIENCE)
    with page.expect_download() as download:
        link.click()
    assert download.value.suggested_filename == "dl21-version-2.zip"
