"""Advancing challenges with judging's real pairs and tasks."""

import pytest

from config.background.job_kinds import kind_named
from config.background.models import Job
from judging.models import Judgment, Pair, Task, TaskPair
from pooling.models import Run
from tests.tournament.cast import at_once
from tournament import jobs, services
from tournament.contests import Need
from tournament.errors import ChallengeUnderWay
from tournament.models import Challenge
from tournament.services import other_rooms
from tournament.services.challenge_progress import still_wanted, worth_asking


@pytest.fixture
def challenged(new_run):
    """judged_town with a lead2 challenge of q1's best answer a by x; only pooling is replaced."""
    plan = services.plan_challenge(campaign=new_run.campaign, run_tags=["new"])
    services.open_challenge(plan=plan)
    return new_run


def answer(town, *preferred: str) -> None:
    """Submit the challenge's tasks with these answers."""
    tasks = Task.objects.filter(campaign=town.campaign, round__gt=0, state=Task.State.WAITING)
    for task, pid in zip(tasks, preferred, strict=True):
        town.judge("q1", "a", "x", pid)
        TaskPair.objects.filter(task=task).delete()
        task.delete()


def test_a_challenge_asks_its_pairs_in_its_own_round(challenged):
    pair = Pair.objects.get(campaign=challenged.campaign, round=1)

    assert {pair.passage_a.pid, pair.passage_b.pid} == {"a", "x"}
    assert TaskPair.objects.filter(pair=pair).count() == 2
    assert pair.task_pairs.values("task").distinct().count() == 2  # two workers, so two tasks


def test_nothing_is_asked_while_judgments_are_under_way(challenged):
    advance = services.advance_challenges(campaign=challenged.campaign)[challenged.campaign.pk]

    assert (advance.asked, advance.under_way, advance.waiting, advance.finished) == (0, 2, 0, ())


def test_a_level_pair_is_asked_again_and_a_settled_one_finishes_the_challenge(challenged):
    answer(challenged, "a", "x")
    assert services.advance_challenges()[challenged.campaign.pk].asked == 2

    answer(challenged, "x", "x")
    advance = services.advance_challenges()[challenged.campaign.pk]

    assert advance.finished == (1,)
    assert Challenge.objects.get().state == "done"
    assert services.resolve(campaign=challenged.campaign)["challenges"] == 1


def test_the_scheduled_job_rings_for_places_when_it_asked(challenged):
    answer(challenged, "a", "x")

    result = kind_named("tournament.advance_challenges").body(progress=lambda *said: None)

    assert result[str(challenged.campaign.pk)]["asked"] == 2
    assert Job.objects.get(kind="judging.post_places").arguments == {"campaign_id": challenged.campaign.pk}


def test_the_scheduled_job_rings_for_nothing_when_it_asked_nothing(challenged):
    jobs.advance_challenges_job(progress=lambda *said: None, campaign_id=challenged.campaign.pk)

    assert not Job.objects.filter(kind="judging.post_places").exists()


@pytest.mark.django_db(transaction=True)
def test_one_of_several_concurrent_challenges_is_recorded(challenged):
    answer(challenged, "a", "a")
    services.advance_challenges()
    Run.objects.update(run_tag="newer")
    other_rooms.top_pids = lambda run: {"q1": "y"}  # restored by the fixture's monkeypatch

    def challenge():
        plan = services.plan_challenge(campaign=challenged.campaign, run_tags=["newer"])
        return services.open_challenge(plan=plan)

    results, errors = at_once([challenge] * 4)

    assert len(results) == 1
    assert {type(error) for error in errors} == {ChallengeUnderWay}
    assert Challenge.objects.filter(number=2).count() == 1
    assert Task.objects.filter(campaign=challenged.campaign, round=2).count() == 2


@pytest.mark.django_db(transaction=True)
def test_concurrent_advances_request_pairs_once(challenged):
    answer(challenged, "a", "x")

    results, errors = at_once([lambda: services.advance_challenges(campaign=challenged.campaign)] * 4)

    assert errors == []
    assert sorted(one[challenged.campaign.pk].asked for one in results) == [0, 0, 0, 2]
    assert Task.objects.filter(campaign=challenged.campaign, round=1).count() == 2
    assert Judgment.objects.filter(pair__round=1).count() == 2


def need(number, judgments=1):
    return Need(1, number, 1, 2, judgments)


def test_judgments_under_way_are_not_requested_again():
    needs = [need(1, 2), need(2, 2), need(3, 1)]

    assert still_wanted(needs, {(1, 1, 2): 1, (2, 1, 2): 2}) == [need(1, 1), need(3, 1)]


@pytest.mark.parametrize(("wanted", "asked"), [(9, 0), (10, 10), (25, 20)])
def test_while_others_are_under_way_only_whole_tasks_are_asked(wanted, asked):
    needs = [need(number) for number in range(wanted)]

    assert len(worth_asking(needs, 10, under_way=True)) == asked
    assert len(worth_asking(needs, 10, under_way=False)) == wanted
