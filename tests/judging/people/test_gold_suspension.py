"""A bad gold pair is suspended, and nobody stays excluded because of it."""

import pytest

from judging.errors import CampaignRefused
from judging.models import Exclusion, Judgment, Submission
from judging.page import session
from judging.people.gold_suspension import suspend_gold_pair, suspend_suspicious
from tests.judging.cast import Fair, good_side


@pytest.fixture
def bad(crowd, db):
    """Many tasks, and three gold pairs that every worker gets. One of them is bad."""
    fair = Fair(crowd, queries=12, passages=3, name="bad")
    campaign = fair.opened(pairs_per_task=3, gold_per_task=3, max_tasks_per_worker=1)
    return fair, campaign, campaign.gold_pairs.order_by("pk")[1]


def do_task(fair, campaign, worker, *, fail):
    """Do a task, failing the gold pairs in ``fail``."""
    return finish(fair, fair.open_task(campaign, worker), fail=fail)


def together(fair, campaign, *, failing, passing=0, gold):
    """Do tasks of several workers at the same time, so that each gets another one. Some fail the gold pair."""
    held = [fair.open_task(campaign, f"A{number}") for number in range(failing + passing)]
    for number, submission in enumerate(held):
        finish(fair, submission, fail={gold.pk} if number < failing else set())
    fair.collect(campaign)


def finish(fair, submission, *, fail):
    for slot in submission.slots.select_related("gold_pair").order_by("number"):
        side = good_side(slot, slot.gold_pair_id not in fail)
        session.save_choice(submission, number=slot.number, sequence=0, side=side)
    fair.send_off(submission)
    return submission


def counted(campaign):
    return Judgment.objects.filter(campaign=campaign).counted().count()


def test_a_pair_that_everybody_fails_is_suspended_and_its_workers_come_back(bad):
    fair, campaign, gold = bad
    together(fair, campaign, failing=3, passing=1, gold=gold)
    assert (Exclusion.objects.filter(reversed_at=None).count(), counted(campaign)) == (3, 3)

    (done,) = suspend_suspicious(campaign)

    gold.refresh_from_db()
    assert (done.gold_pair, done.reinstated, gold.state) == (gold.pk, 3, "suspended")
    assert "3 of 4 workers" in gold.decided_why
    assert not Exclusion.objects.filter(reversed_at=None).exists()
    assert counted(campaign) == 12
    assert suspend_suspicious(campaign) == []


def test_screening_again_does_not_bring_the_exclusion_back(bad):
    fair, campaign, gold = bad
    together(fair, campaign, failing=3, gold=gold)
    suspend_suspicious(campaign)

    fair.collect(campaign)

    assert counted(campaign) == 9
    assert set(Submission.objects.values_list("standing", flat=True)) == {"counted"}


def test_who_failed_another_pair_too_stays_excluded(bad):
    fair, campaign, gold = bad
    other = campaign.gold_pairs.exclude(pk=gold.pk).first()
    do_task(fair, campaign, "ABOTH", fail={gold.pk, other.pk})
    fair.collect(campaign)

    done = suspend_gold_pair(campaign, gold, why="it answers the question too", who="ada")

    assert done.reinstated == 0
    assert Exclusion.objects.get().reversed_at is None
    assert counted(campaign) == 0


def test_a_person_suspends_with_a_reason_and_once(bad):
    _, campaign, gold = bad

    with pytest.raises(CampaignRefused, match="needs a reason"):
        suspend_gold_pair(campaign, gold, why=" ")
    suspend_gold_pair(campaign, gold, why="ambiguous", who="ada")
    with pytest.raises(CampaignRefused, match="not one of"):
        suspend_gold_pair(campaign, gold, why="again")
    assert campaign.changes.latest("pk").what == f"gold pair {gold.pk} suspended"


def test_tasks_no_longer_get_a_suspended_pair(bad):
    fair, campaign, gold = bad
    suspend_gold_pair(campaign, gold, why="ambiguous")

    with pytest.raises(session.WorkRefused):
        fair.open_task(campaign, "ALATE")  # two gold pairs are too few for a task


def test_under_rate_screening_a_task_set_aside_for_the_pair_counts_again(crowd, db):
    fair = Fair(crowd, queries=12, passages=3, name="rate")
    campaign = fair.opened(pairs_per_task=3, gold_per_task=3, max_tasks_per_worker=1, screen="rate")
    gold = campaign.gold_pairs.order_by("pk")[1]
    submission = do_task(fair, campaign, "A1", fail={gold.pk})
    fair.collect(campaign)
    submission.refresh_from_db()
    assert (submission.standing, Exclusion.objects.count()) == ("excluded", 0)

    done = suspend_gold_pair(campaign, gold, why="ambiguous")

    submission.refresh_from_db()
    assert (done.reopened, submission.standing, counted(campaign)) == (1, "counted", 3)
