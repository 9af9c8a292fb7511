"""Order and sides: balanced for each pair over its judgments, and within a task."""

from collections import Counter

import numpy as np
from hypothesis import given, strategies as st

from judging.models import Choice, Slot, Submission
from judging.page import session
from judging.rules.layout import ANSWERS, UNDECIDED, lay_out, possible_answers, scales_with
from judging.tasks.lease_ends import end_submission
from judging.tasks.leases import lease_task
from judging.workers.identities import worker_for

SEEDS = st.integers(0, 2**32)


@given(pairs=st.integers(1, 12), gold=st.integers(0, 4), judgments=st.integers(1, 9), seed=SEEDS)
def test_sides_of_a_pair_differ_by_one_at_most_however_often_it_is_judged(pairs, gold, judgments, seed):
    rng = np.random.default_rng(seed)
    leanings = [0] * pairs

    for _ in range(judgments):
        for seat in lay_out(leanings, gold, rng):
            if not seat.is_gold:
                leanings[seat.index] += -1 if seat.swapped else 1

        assert max(map(abs, leanings)) <= 1


@given(pairs=st.integers(0, 12), gold=st.integers(0, 6), seed=SEEDS)
def test_every_pair_and_gold_pair_has_one_slot_and_sides_of_each_kind_are_halved(pairs, gold, seed):
    seats = lay_out([0] * pairs, gold, np.random.default_rng(seed))

    assert sorted((seat.is_gold, seat.index) for seat in seats) == [(False, i) for i in range(pairs)] + [
        (True, i) for i in range(gold)
    ]
    for kind, count in ((False, pairs), (True, gold)):
        swapped = sum(seat.swapped for seat in seats if seat.is_gold is kind)
        assert swapped in (count // 2, -(-count // 2))


def taken(campaign, worker) -> Submission:
    """Lease the next task, without a place at the crowd."""
    submission = lease_task(
        campaign, worker_for("fake:here", worker), assignment_id=f"for-{worker}", place=None
    )
    assert submission is not None
    session.give_consent(submission, of_age=True)
    return submission


def test_a_judgment_that_was_given_back_or_left_out_does_not_tip_the_sides(fair):
    campaign = fair.opened(judgments_per_pair=2, pairs_per_task=12, max_tasks_per_worker=1)
    first = taken(campaign, "A1")
    fair.answer(first)
    session.finish(first)
    given_back = taken(campaign, "A2")
    end_submission(given_back, Submission.State.RETURNED)
    left_early = taken(campaign, "A3")
    fair.answer(left_early, only=1)
    session.finish(left_early)
    end_submission(left_early, Submission.State.LAPSED)

    last = taken(campaign, "A4")

    shown = Counter(
        Slot.objects.filter(submission__in=[first, last], pair__isnull=False).values_list(
            "pair_id", "left_id"
        )
    )
    assert len(shown) == 24
    assert set(shown.values()) == {1}


def test_a_pair_left_out_by_whoever_stopped_early_does_not_tip_the_sides_either(fair):
    campaign = fair.opened(judgments_per_pair=3, pairs_per_task=12, max_tasks_per_worker=1)
    stopped = taken(campaign, "A1")
    fair.answer(stopped, only=5)
    session.finish(stopped)
    for worker in ("A2", "A3"):
        submission = taken(campaign, worker)
        fair.answer(submission)
        session.finish(submission)

    judged = Choice.objects.filter(slot__pair__isnull=False)
    counts = Counter(judged.values_list("slot__pair_id", "slot__left_id"))
    for pair in campaign.pairs.all():
        assert abs(counts[pair.pk, pair.passage_a_id] - counts[pair.pk, pair.passage_b_id]) <= 1


def test_the_scales_with_an_answer_are_those_where_it_is_possible():
    for answer in ANSWERS:
        least, most = scales_with(answer)
        for grades in (0, *range(2, 11)):
            assert (least <= grades <= most) == (answer in possible_answers(grades, allow_undecided=True))
        undecided = answer not in possible_answers(least, allow_undecided=False)
        assert undecided == (answer == UNDECIDED)
