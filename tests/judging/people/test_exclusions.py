from collections import Counter

import pytest

from judging.errors import CampaignRefused
from judging.intake.collection import collect
from judging.models import CampaignChange, Exclusion, Judgment, Payment, Submission, Worker
from judging.people.exclusions import exclude_worker, reinstate_worker
from judging.workers.identities import refusal_reason
from tests.judging.test_commands import refused, run


@pytest.fixture
def campaign(fair):
    """Four tasks. A worker failed a gold pair in the first and is excluded."""
    campaign = fair.opened()
    fair.do_task(campaign, "AUNLUCKY", pass_gold=False)
    fair.collect(campaign)
    return campaign


def worker(name: str) -> Worker:
    return Worker.objects.get(identity__crowd_worker_id=name)


def counted(campaign) -> Counter:
    return Counter(Judgment.objects.filter(campaign=campaign).counted().values_list("worker", flat=True))


def test_work_that_nobody_repeated_counts_again(fair, campaign):
    unlucky = worker("AUNLUCKY")
    assert counted(campaign) == {}

    done = reinstate_worker(campaign, unlucky, why="the gold pair was ambiguous", who="ada")

    assert (done.counted, done.surplus, done.other) == (1, 0, 0)
    assert counted(campaign) == {unlucky.pk: 3}
    assert campaign.tasks.filter(state="done").count() == 1
    assert refusal_reason(campaign, unlucky) is None
    exclusion = Exclusion.objects.get()
    assert (exclusion.reversed_by, exclusion.reversed_why) == ("ada", "the gold pair was ambiguous")
    assert exclusion.gold_answers.count() == 2
    assert CampaignChange.objects.get(what=f"worker {unlucky.pk} reinstated").who == "ada"


def test_replacements_keep_counting_and_the_reinstated_work_is_surplus(fair, campaign):
    for name in ("AONE", "ATWO"):
        for _ in range(2):
            fair.do_task(campaign, name)
    fair.collect(campaign)
    before = counted(campaign)
    assert sum(before.values()) == campaign.pairs.count()

    done = reinstate_worker(campaign, worker("AUNLUCKY"), why="the gold pair was ambiguous")

    assert (done.counted, done.surplus) == (0, 1)
    assert counted(campaign) == before
    assert Submission.objects.get(worker=worker("AUNLUCKY")).standing == "surplus"


def test_a_replacement_under_way_keeps_its_task(fair, campaign):
    held = [fair.open_task(campaign, f"AWORKER{number}") for number in range(4)]

    done = reinstate_worker(campaign, worker("AUNLUCKY"), why="the gold pair was ambiguous")

    assert (done.counted, done.surplus) == (0, 1)
    assert {submission.pk for submission in held} == set(campaign.tasks.values_list("holder", flat=True))


def test_the_same_answers_do_not_exclude_again_but_a_new_failure_does(fair, campaign):
    unlucky = worker("AUNLUCKY")
    reinstate_worker(campaign, unlucky, why="the gold pair was ambiguous")

    fair.do_task(campaign, "AUNLUCKY")
    fair.collect(campaign)
    assert counted(campaign) == {unlucky.pk: 6}

    fair.do_task(campaign, "AUNLUCKY", pass_gold=False)
    fair.collect(campaign)
    assert counted(campaign) == {}
    assert Exclusion.objects.filter(reversed_at=None).count() == 1


def test_under_rate_screening_a_forgiven_task_counts(fair):
    campaign = fair.opened(screen="rate", gold_per_task=3)
    fair.do_task(campaign, "AUNLUCKY", pass_gold=False)
    fair.collect(campaign)
    assert Exclusion.objects.filter(reversed_at=None).exists()

    reinstate_worker(campaign, worker("AUNLUCKY"), why="the gold pairs were ambiguous")

    assert counted(campaign) == {worker("AUNLUCKY").pk: 3}


def test_work_under_way_at_the_exclusion_goes_on_after_it_is_taken_back(fair):
    campaign = fair.opened()
    submission = fair.open_task(campaign, "AUNLUCKY")
    exclude_worker(campaign, submission.worker, why="too fast", who="ada")
    assert campaign.tasks.filter(state="held").count() == 0

    done = reinstate_worker(campaign, submission.worker, why="a fast reader")
    submission.refresh_from_db()
    fair.answer(submission)
    fair.hand_in(submission)
    collect(campaign, sweep=True)

    assert (done.counted, done.surplus, done.other) == (0, 0, 1)
    assert counted(campaign) == {submission.worker.pk: 3}


def test_a_person_excludes_with_a_reason_and_the_work_is_paid(fair):
    campaign = fair.opened()
    fair.do_task(campaign, "AFAST")
    fair.collect(campaign)

    exclusion = exclude_worker(campaign, worker("AFAST"), why="always the left one", who="ada")

    assert (exclusion.rule, exclusion.reason, exclusion.decided_by) == (
        "person",
        "always the left one",
        "ada",
    )
    assert counted(campaign) == {}
    assert campaign.tasks.filter(state="waiting").count() == 4
    assert set(Payment.objects.values_list("state", flat=True)) == {"paid"}


@pytest.mark.parametrize("why", ["", "  "])
def test_decisions_need_a_reason(campaign, why):
    with pytest.raises(CampaignRefused, match="needs a reason"):
        reinstate_worker(campaign, worker("AUNLUCKY"), why=why)
    with pytest.raises(CampaignRefused, match="needs a reason"):
        exclude_worker(campaign, worker("AUNLUCKY"), why=why)


def test_a_decision_that_stands_is_not_made_twice(campaign):
    unlucky = worker("AUNLUCKY")
    with pytest.raises(CampaignRefused, match="already excluded from fair"):
        exclude_worker(campaign, unlucky, why="too fast")
    reinstate_worker(campaign, unlucky, why="a fast reader")

    with pytest.raises(CampaignRefused, match="is not excluded"):
        reinstate_worker(campaign, unlucky, why="a fast reader")


def test_the_commands_take_a_worker_by_number_or_by_the_id_at_the_crowd(campaign):
    number = worker("AUNLUCKY").pk

    assert run("reinstate_worker", "fair", str(number), "--why=ambiguous")["tasks_counted_again"] == 1
    excluded = run("exclude_worker", "fair", "AUNLUCKY", "--why=fast")
    assert (excluded["worker"], excluded["judgments_that_count_no_more"]) == (number, 3)
    assert excluded["tasks_still_open"] == 0
    status, words = refused("reinstate_worker", "fair", "999999", "--why=x")
    assert (status, "No worker 999999 has worked on fair" in words) == (1, True)
