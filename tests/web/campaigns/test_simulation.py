"""Starting simulated workers on a campaign's page."""

import pytest

from config.background.models import Job
from config.background.services import start
from judging.models import Judgment, Worker
from judging.simulation.leftovers import only_simulation
from pooling.models import QrelSet
from tests.web.campaign_cast import text_of
from web.campaigns.simulated_judging import SIMULATE, reason_not_to_simulate


@pytest.fixture
def here(campaign):
    """The campaign at this machine's marketplace, with grades for simulated workers."""
    campaign.endpoint = "http://127.0.0.1:8411"
    campaign.save(update_fields=["endpoint"])
    QrelSet.objects.create(collection=campaign.collection, name="truth", kind="graded", min_grade=1)
    return campaign


def asked(campaign, **changes):
    answers = {"truth": "truth", "workers": 5, "careless": 1, "error": 0.1, "gold_error": 0, "seed": 1}
    return answers | {"sure": campaign.name} | changes


def test_the_name_is_typed_and_one_job_is_rung(manager, here):
    page = f"/campaigns/{here.name}/simulate/"

    assert manager.post(page, asked(here, sure="x")).status_code == 400
    assert not Job.objects.filter(kind=SIMULATE).exists()
    for _ in range(2):
        assert manager.post(page, asked(here)).status_code == 302

    job = Job.objects.get(kind=SIMULATE)
    assert job.arguments["settings"]["careless"] == 1
    assert "Simulated workers are judging" in text_of(manager.get(page))


def test_simulated_workers_are_not_mixed_with_people(fair, manager, here):
    fair.do_task(here, "A1")

    page = manager.post(f"/campaigns/{here.name}/simulate/", asked(here))

    assert page.status_code == 400
    assert "People have worked in" in page.content.decode()
    assert not Job.objects.filter(kind=SIMULATE).exists()
    shown = text_of(manager.get(f"/campaigns/{here.name}/"))
    assert "/simulate/" not in shown
    assert "Simulated workers are not available. People have worked in" in shown


def test_a_paused_campaign_says_why_simulated_workers_cannot_judge(manager, here):
    here.state = "paused"
    here.save(update_fields=["state"])

    shown = text_of(manager.get(f"/campaigns/{here.name}/"))

    assert f"{here.name} is paused, so it offers no tasks." in shown


def test_simulated_workers_only_use_this_machines_marketplace(campaign, manager):
    campaign.endpoint = "https://crowd.example.org"
    campaign.save(update_fields=["endpoint"])

    assert "only use this machine's marketplace" in reason_not_to_simulate(campaign)
    shown = text_of(manager.get(f"/campaigns/{campaign.name}/"))
    assert "/simulate/" not in shown
    assert "Simulated workers are not available" not in shown


def test_the_page_of_a_campaign_leads_there(manager, here):
    assert f"/campaigns/{here.name}/simulate/" in text_of(manager.get(f"/campaigns/{here.name}/"))


@pytest.fixture
def begun(fair, here):
    """The campaign after a simulated worker's first task."""
    fair.do_task(here, "A1")
    fair.collect(here)
    Worker.objects.update(simulated=True)
    Judgment.objects.update(judge_kind="simulated")
    return here


def test_simulated_workers_of_a_terminal_are_offered_again_once_they_ended(manager, begun):
    page, link = f"/campaigns/{begun.name}/", "Have simulated workers judge"
    with only_simulation(begun):
        shown = text_of(manager.get(page))
    assert "Workers are judging." in shown
    assert link not in shown

    shown = text_of(manager.get(page))

    assert "Next step.</strong> Only simulated workers judge this campaign, and none is at work." in shown
    assert link in shown


def test_simulated_workers_that_ended_before_the_last_judgment_are_offered_again(manager, begun):
    page, link = f"/campaigns/{begun.name}/", "Have simulated workers judge"
    job = start(SIMULATE, key=f"{SIMULATE}:{begun.pk}", arguments={})
    assert link not in text_of(manager.get(page))

    Job.objects.filter(pk=job.pk).update(state="done")
    shown = text_of(manager.get(page))

    assert "Next step.</strong> Only simulated workers judge this campaign, and none is at work." in shown
    assert link in shown
    assert "Workers are judging" not in shown
    assert " at the pace of the last day" not in shown
