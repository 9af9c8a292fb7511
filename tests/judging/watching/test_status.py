import json

from config.background.services import run_job, start
from judging.campaign.campaigns import pause
from judging.errors import CrowdConfiguration
from judging.jobs import collect_key
from judging.launch.closure import close, finish_closing
from judging.people.rights import withdraw_worker
from judging.watching.status import campaign_next_step, campaign_status, is_complete


def test_keys_that_scripts_rely_on_are_there_and_json_ready(fair):
    status = campaign_status(fair.draft())

    assert {"state", "tasks", "judgments", "exclusions", "spent", "committed"} <= status.keys()
    assert {"wanted", "counted", "excluded"} <= status["judgments"].keys()
    assert json.loads(json.dumps(status)) == status


def test_the_next_step_follows_the_campaigns_state(fair):
    campaign = fair.draft()
    assert "launch_campaign fair" in campaign_status(campaign)["next"]

    fair.name = "second"
    campaign = fair.opened()
    assert "12 judgments are still to come" in campaign_status(campaign)["next"]

    for worker in ("A1", "A2", "A3", "A4"):
        fair.do_task(campaign, worker)
    fair.collect(campaign)
    assert is_complete(campaign)
    assert "resolve second" in campaign_status(campaign)["next"]

    pause(campaign)
    assert "resume_campaign second" in campaign_status(campaign)["next"]
    close(campaign)
    assert "closes automatically" in campaign_status(campaign)["next"]
    finish_closing(campaign)
    assert "publish_qrels second" in campaign_status(campaign)["next"]


def test_a_campaign_for_simulated_workers_is_rehearsed_and_launched_without_a_pilot(fair):
    campaign = fair.draft()
    campaign.placeholder_text = True
    status = campaign_status(campaign)
    assert "pilot" not in status["next"]

    campaign.state = "rehearsed"

    assert str(campaign_next_step(campaign, status)).endswith("launch_campaign fair.")


def test_numbers_are_those_of_tasks_places_judgments_and_dollars(fair):
    campaign = fair.opened()
    fair.do_task(campaign, "A1")
    fair.do_task(campaign, "A2", pass_gold=False)
    fair.open_task(campaign, "A3")
    fair.collect(campaign)

    status = campaign_status(campaign)

    assert (status["state"], status["tasks"]) == ("open", 4)
    assert status["tasks_by_state"] == {"waiting": 2, "held": 1, "done": 1}
    assert (status["places"]["open"], status["places"]["filled"]) == (3, 2)
    judgments = status["judgments"]
    assert (judgments["wanted"], judgments["counted"], judgments["excluded"]) == (12, 3, 3)
    assert (status["workers"], status["exclusions"]) == (3, 1)
    assert "failed 2 of 2" in status["exclusion_reasons"][0]["reason"]
    assert [row["failed"] for row in status["gold_failed"]] == [1, 1]
    assert (status["spent"], status["committed"]) == (4.8, 12.0)


def test_workers_who_withdrew_are_not_counted_as_excluded(fair):
    campaign = fair.opened()
    fair.do_task(campaign, "A1", pass_gold=False)
    taken_back = fair.do_task(campaign, "A2")
    fair.collect(campaign)
    withdraw_worker(campaign, taken_back.worker)

    status = campaign_status(campaign)

    assert (status["exclusions"], status["withdrawn"]) == (1, 1)
    assert [row["rule"] for row in status["exclusion_reasons"]] == ["reference"]


def test_a_key_that_the_crowd_refuses_is_among_the_problems_once(fair):
    campaign = fair.opened()
    refusal = CrowdConfiguration("UnrecognizedClient: no such key.", "Check the keys.")
    fair.crowd.fail("places", refusal)
    arguments = {"campaign_id": campaign.pk, "sweep": True}

    run_job(start("judging.collect", key=collect_key(campaign), arguments=arguments).pk)

    problems = campaign_status(campaign)["problems"]
    assert problems == ["collecting work failed: UnrecognizedClient: no such key. Check the keys."]
    run_job(start("judging.collect", key=collect_key(campaign), arguments=arguments).pk)
    assert campaign_status(campaign)["problems"] == []
