"""Leftovers of an interrupted simulation are taken back; tasks held by people are not."""

import pytest

from judging.campaign.rehearsal_copy import keep_people_out, rehearsal_of
from judging.errors import CampaignRefused, CrowdLater
from judging.intake.places import post_places
from judging.launch.launches import launch_campaign
from judging.models import Place, Submission
from judging.simulation.leftovers import end_leftover_leases, held_words, only_simulation, simulation_running
from judging.workers.identities import crowd_namespace, declare_simulated


@pytest.fixture
def rehearsal(fair):
    copy = rehearsal_of(fair.draft())
    keep_people_out(copy)
    launch_campaign(copy)
    post_places(copy)
    declare_simulated(crowd_namespace(copy), ["A1", "A2", "A3", "A4", "A5"])
    return copy


def states(campaign):
    return sorted(Submission.objects.filter(campaign=campaign).values_list("state", flat=True))


def test_a_rehearsal_continues_with_all_tasks_of_its_killed_workers(fair, rehearsal):
    fair.answer(fair.open_task(rehearsal, "A1"), only=2)
    sent_off_here_only = fair.open_task(rehearsal, "A2")
    fair.answer(sent_off_here_only)
    fair.crowd.take("A3")  # killed before opening the page
    assert held_words(rehearsal).startswith("2 tasks are held until ")

    assert end_leftover_leases(rehearsal) == 2
    assert end_leftover_leases(rehearsal) == 0
    post_places(rehearsal)

    assert states(rehearsal) == ["returned", "returned"]
    assert sorted(Place.objects.values_list("state", flat=True)) == ["gone"] * 3 + ["open"] * 4
    free = [one for one in fair.crowd.posted.values() if not one.holder and not one.closed]
    assert len(free) == 4
    for place in free:
        submission = fair.open_task(rehearsal, "A4" if place is free[0] else "A5", place)
        fair.answer(submission)
        fair.send_off(submission)
        fair.collect(rehearsal)
        if rehearsal.tasks.exclude(state="done").count() == 2:
            break
    assert rehearsal.tasks.filter(state="done").count() == 2


def test_closing_a_place_that_failed_is_made_good_by_the_next_run(fair, rehearsal):
    fair.open_task(rehearsal, "A1")
    fair.crowd.fail("close_place", CrowdLater("no answer"))

    with pytest.raises(CrowdLater):
        end_leftover_leases(rehearsal)
    end_leftover_leases(rehearsal)

    assert Place.objects.filter(state="gone").count() == 1
    assert Place.objects.filter(state="wanted").count() == 1


def test_people_keep_their_tasks(fair):
    campaign = fair.opened()
    declare_simulated(crowd_namespace(campaign), ["ASIM"])
    person, simulated = fair.open_task(campaign, "APERSON"), fair.open_task(campaign, "ASIM")
    fair.crowd.take("AUNSEEN")

    assert end_leftover_leases(campaign) == 1

    person.refresh_from_db()
    assert person.state == "held"
    assert [*Place.objects.filter(state="gone")] == [simulated.place]


def test_a_second_run_at_the_same_time_is_refused(fair, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    campaign = fair.opened()

    assert not simulation_running(campaign)
    with only_simulation(campaign):
        assert simulation_running(campaign)
        with pytest.raises(CampaignRefused, match="already working on fair"), only_simulation(campaign):
            pass
    assert not simulation_running(campaign)
    with only_simulation(campaign):
        pass
