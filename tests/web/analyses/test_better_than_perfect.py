"""Asking on pages whether a run is better than perfect: planned, created as a draft, and continued."""

import pytest
from playwright.sync_api import expect

from config.background.models import Job
from judging.models import Campaign
from pooling.models import Pool
from tests.accessibility import WIDER, Inspector
from tests.due_jobs import work_off_everything
from tests.web.preparing_cast import texts

# Of harbour, quay: q1 has b before the known a, q2 has the known a2 alone, q3 has b3 and not the known a3.
ASK = "/collections/harbour/better-than-perfect/ask/"
MAKE = "/collections/harbour/better-than-perfect/make"
DUEL = {"name": "duel", "run": "quay", "qrels": "official", "pairs_per_task": "1", "reward": "1.00"}


@pytest.fixture
def manager(cast):
    return cast.clients["manager"]


def test_a_plan_shows_pairs_tasks_and_cost_before_anything_is_saved(manager):
    said = texts(manager.get(ASK, DUEL))

    assert "Pairs 2 one per query" in said
    assert "Known passage first 0" in said
    assert "Known passage elsewhere 2" in said
    assert "Tasks 2" in said
    assert "1 query has the known passage first and no other text below it" in said
    assert "Create draft of 2 pairs" in said
    assert not Job.objects.exists()


def test_a_sample_reduces_the_pairs_and_stays_in_the_address(manager):
    page = manager.get(ASK, DUEL | {"sample": "1", "seed": "7"})

    assert "Create draft of 1 pair" in texts(page)
    assert 'name="seed" value="7"' in page.content.decode()


def test_the_draft_matches_the_plan_and_continues_in_the_wizard(manager):
    first = manager.post(MAKE, DUEL | {"sample": "1"})
    again = manager.post(MAKE, DUEL | {"sample": "1"})
    waiting = texts(manager.get(first["Location"]))
    work_off_everything()
    late = manager.post(MAKE, DUEL | {"sample": "1"})

    campaign = Campaign.objects.get(name="duel")
    assert first["Location"] == again["Location"] == late["Location"]
    assert "is being created" in waiting
    assert manager.get(first["Location"])["Location"] == "/campaigns/duel/prepare/"
    assert (campaign.state, campaign.pairs.count(), campaign.tasks.count()) == ("draft", 1, 1)
    assert (campaign.pairs_per_task, str(campaign.reward)) == (1, "1.00")


def test_a_job_that_runs_twice_finds_its_campaign(manager):
    manager.post(MAKE, DUEL)
    work_off_everything()

    Job.objects.update(state="waiting")
    work_off_everything()

    assert Job.objects.get().state == "done"
    assert Campaign.objects.filter(name="duel").count() == Pool.objects.filter(name="duel").count() == 1


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("spring", "already exists"),
        ("tide", "already exists"),
        ("a b", "is not a valid name"),
        ("", "is not a valid name"),
    ],
)
def test_a_taken_or_invalid_name_is_refused_at_once(manager, name, words):
    reply = manager.post(MAKE, DUEL | {"name": name}, follow=True)

    assert words in texts(reply)
    assert not Job.objects.exists()
    assert reply.redirect_chain[0][0].startswith(f"{ASK}?run=quay")


def test_invalid_input_is_explained_at_its_field(manager):
    for name in ("sample", "seed", "reward", "judgments_per_pair", "pairs_per_task", "run", "qrels"):
        for value in ("x", "-1", "9" * 400, "<b>"):
            reply = manager.get(ASK, {name: value})

            assert reply.status_code == 422, (name, value)
            assert f'id="id_{name}_error"' in reply.content.decode(), (name, value)


def test_without_runs_or_labels_there_is_nothing_to_compare(cast, manager):
    cast.official.qrels.all().delete()

    assert "has no passage to compare with a qrel of official" in texts(manager.get(ASK, DUEL))


def test_pages_of_the_run_and_of_the_analysis_lead_there(cast, manager):
    run = manager.get(f"/collections/harbour/runs/{cast.quay.pk}/").content.decode()
    analysis = manager.get("/collections/harbour/analyses/better_than_perfect/").content.decode()
    outside = cast.clients["stranger"].get("/collections/harbour/analyses/better_than_perfect/")

    assert f'href="{ASK}?run=quay"' in run
    assert f'href="{ASK}"' in analysis
    assert ASK not in outside.content.decode()


def test_a_viewer_sees_the_cost_but_no_button(cast):
    said = texts(cast.clients["viewer"].get(ASK, DUEL))

    assert "Tasks 2" in said
    assert "Create draft" not in said


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_choices_made_before_the_script_loads_are_applied(cast, page, live_server):
    session = cast.clients["manager"].cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    late = []
    page.route("**/planning*.js", lambda route: late.append(route))
    page.goto(f"{live_server.url}{ASK}", wait_until="commit")

    page.get_by_label("Run", exact=True).select_option("quay")
    expect(page.get_by_role("button", name="Create draft of 1 pair")).to_be_visible()
    late[0].continue_()

    expect(page.get_by_role("button", name="Create draft of 2 pairs")).to_be_visible()


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_a_manager_creates_the_campaign_in_a_browser(cast, page, live_server):
    session = cast.clients["manager"].cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    inspector = Inspector()
    page.goto(f"{live_server.url}/collections/harbour/analyses/better_than_perfect/")
    page.get_by_role("link", name="Create a campaign that asks").click()
    page.get_by_label("Run", exact=True).select_option("quay")
    expect(page.get_by_role("button", name="Create draft of 2 pairs")).to_be_visible()
    inspector.look(page, "the plan")
    page.get_by_label("Sample").fill("1")
    expect(page.get_by_role("button", name="Create draft of 1 pair")).to_be_visible()
    expect(page.get_by_label("Name of the campaign")).to_have_value("quay-against-qrels")
    assert page.evaluate(WIDER) == 0
    page.get_by_role("button", name="Create draft of 1 pair").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Campaign quay-against-qrels is being created")
    inspector.look(page, "being made")

    work_off_everything()

    page.reload()  # unless the page has updated itself
    expect(page).to_have_url(f"{live_server.url}/campaigns/quay-against-qrels/prepare/gold/")
    assert inspector.faults == []
