"""Workers cannot find gold pairs by opening tasks repeatedly and comparing what is shown."""

from datetime import timedelta

import pytest

from config import clock
from judging.crowds.interface import Arrival
from judging.errors import WorkRefused
from judging.intake.places import post_places
from judging.models import Campaign, GoldPair, Posting, Submission, Task
from judging.page import arrivals, session, trials
from judging.tasks.lease_ends import end_submission
from tests.judging.cast import Fair

ACCEPTED = 4  # gold pairs, two in each task


def opened(campaign: Campaign, place, visit: int, *, worker: str = "ASLY") -> Submission:
    """The worker takes the place, signed by the crowd, and consents to the task."""
    at = clock.now() + timedelta(seconds=visit)
    arrival = Arrival(f"3{worker}{visit}", place.posted.crowd_id, worker, "", preview=False, taken_at=at)
    submission = arrivals.open_task(campaign.postings.get(), arrival)
    session.give_consent(submission)
    return submission


def shown(submission: Submission) -> list[tuple]:
    return list(
        submission.slots.order_by("number").values_list("number", "pair", "gold_pair", "left", "right")
    )


def gold_in(submission: Submission) -> set[int]:
    return set(submission.slots.exclude(gold_pair=None).values_list("gold_pair", flat=True))


def test_task_that_was_given_back_shows_the_same_again(crowd, db):
    campaign = Fair(crowd, queries=1, passages=2, name="single").opened(max_tasks_per_worker=2)
    (place,) = crowd.posted.values()
    seen = []

    for visit in range(4):
        submission = opened(campaign, place, visit)
        seen.append(shown(submission))
        end_submission(submission, Submission.State.RETURNED)

    assert seen[1:] == seen[:1] * 3


def test_seen_gold_reappears_only_with_its_own_task(fair, crowd):
    campaign = fair.opened(max_tasks_per_worker=2)
    first, second, third, fourth = crowd.posted.values()
    given_back = [opened(campaign, place, visit) for visit, place in enumerate([first, second])]
    assert len(gold_in(given_back[0]) | gold_in(given_back[1])) == ACCEPTED
    for submission in given_back:
        end_submission(submission, Submission.State.RETURNED)

    again = opened(campaign, third, 2)  # two unseen tasks wait, but no unseen gold is left
    assert again.task == given_back[0].task
    assert shown(again) == shown(given_back[0])
    end_submission(again, Submission.State.RETURNED)

    for visit, place in enumerate([first, second], start=3):
        opened(campaign, place, visit, worker=f"AHONEST{visit}")
    with pytest.raises(WorkRefused, match="nothing-new"):
        opened(campaign, fourth, 5)
    assert Task.objects.filter(campaign=campaign, state=Task.State.WAITING).count() == 2


def test_trials_show_the_same_test_pairs_to_everybody(fair):
    campaign = fair.opened()
    trials.trial_link(campaign)
    posting = campaign.postings.get(purpose=Posting.Purpose.TRIAL)

    assert len({frozenset(gold_in(trials.start_trial(posting))) for _ in range(5)}) == 1


def test_no_question_appears_twice_in_a_task(fair, crowd):
    campaign = fair.draft(gold_per_task=1, max_tasks_per_worker=4)
    questions = list(fair.collection.queries.order_by("pk")[:4])
    for gold, question in zip(campaign.gold_pairs.order_by("pk"), questions, strict=True):
        GoldPair.objects.filter(pk=gold.pk).update(query=question)
    fair.launched(campaign)
    post_places(campaign)

    for visit, place in enumerate(crowd.posted.values()):
        submission = opened(campaign, place, visit)
        slots = submission.slots.select_related("pair", "gold_pair")
        asked = [(slot.pair or slot.gold_pair).query_id for slot in slots]

        assert len(set(asked)) == len(asked) == 4
