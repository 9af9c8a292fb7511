from datetime import timedelta

import pytest
import time_machine

from config import clock
from judging.crowds.interface import Arrival
from judging.errors import CrowdLater
from judging.intake.early_screening import confirm_failed
from judging.intake.screened_work import gold_record, screen_worker
from judging.intake.worker_records import records_of
from judging.models import Exclusion, GoldPair, Submission, Task
from judging.page import arrivals, session
from judging.page.session import WorkRefused
from judging.tasks.lease_ends import free_lapsed
from judging.workers.identities import refusal_reason


def test_a_failed_worker_is_excluded_once_the_crowd_confirms_the_submission(fair):
    campaign = fair.opened()
    submission = fair.open_task(campaign, "A1")
    fair.answer(submission, pass_gold=False)

    session.finish(submission)

    assert not Exclusion.objects.exists()
    fair.hand_in(submission)
    fair.collect(campaign)
    exclusion = Exclusion.objects.get()
    assert (exclusion.rule, exclusion.decided_by) == ("reference", "")
    assert "failed 2 of 2" in exclusion.reason
    assert set(exclusion.gold_answers.values_list("passed", flat=True)) == {False}
    assert refusal_reason(campaign, submission.worker) == "excluded"


def test_a_failed_worker_who_returns_at_once_is_refused(fair):
    campaign = fair.opened()
    fair.do_task(campaign, "A1", pass_gold=False)

    with pytest.raises(WorkRefused) as refused:
        fair.open_task(campaign, "A1")

    assert refused.value.reason == "excluded"
    assert Submission.objects.get().state == Submission.State.SUBMITTED


def test_a_crowd_that_does_not_answer_holds_nobody_up(fair):
    campaign = fair.opened()
    fair.do_task(campaign, "A1", pass_gold=False)
    fair.crowd.fail("submissions", CrowdLater("away"))

    assert fair.open_task(campaign, "A1").state == Submission.State.HELD


def test_unconfirmed_submissions_exclude_nobody(fair):
    campaign = fair.opened()
    good = fair.do_task(campaign, "A1")
    fair.collect(campaign)
    taken = fair.crowd.take("AFORGER")
    forged = Arrival(taken.assignment_id, taken.posted.crowd_id, "A1", "", preview=False)
    submission = arrivals.open_task(campaign.postings.get(), forged)
    fair.answer(submission, pass_gold=False)

    session.finish(submission)
    fair.collect(campaign)

    assert not Exclusion.objects.exists()
    assert campaign.judgments.counted().count() == 3
    assert fair.open_task(campaign, "A1").worker == good.worker
    assert gold_record(campaign) == [
        {"gold_pair": one.gold_pair_id, "answered": 1, "failed": 0}
        for one in good.gold_answers.order_by("gold_pair_id")
    ]


def test_undecided_on_gold_is_a_failure(fair):
    campaign = fair.opened(allow_undecided=True)
    submission = fair.open_task(campaign, "A1")
    fair.answer(submission)
    gold = submission.slots.exclude(gold_pair=None).first()
    session.save_choice(submission, number=gold.number, sequence=1, side="undecided")

    fair.send_off(submission)
    fair.collect(campaign)

    assert Exclusion.objects.get().gold_answers.get().gold_pair == gold.gold_pair


def test_screening_twice_is_one_exclusion(fair):
    campaign = fair.opened()
    submission = fair.do_task(campaign, "A1", pass_gold=False)
    fair.collect(campaign)

    first = screen_worker(campaign, submission.worker)
    again = screen_worker(campaign, submission.worker)

    assert first == again
    assert Exclusion.objects.count() == 1


def test_suspended_gold_is_ignored(fair):
    campaign = fair.opened()
    GoldPair.objects.update(state=GoldPair.State.ACCEPTED)
    submission = fair.open_task(campaign, "A1")
    fair.answer(submission, pass_gold=False)
    GoldPair.objects.update(state=GoldPair.State.SUSPENDED)

    fair.send_off(submission)
    fair.collect(campaign)

    assert not Exclusion.objects.exists()


def test_exclusion_frees_the_task_the_worker_still_holds(fair):
    campaign = fair.opened()
    held = fair.open_task(campaign, "A1")
    fair.do_task(campaign, "A1", pass_gold=False)
    fair.collect(campaign)

    held.refresh_from_db()
    assert held.standing == Submission.Standing.EXCLUDED
    assert held.task.state == Task.State.WAITING


def test_exclusion_in_one_campaign_leaves_another_campaigns_judgments_counted(fair):
    first = fair.opened()
    good = fair.do_task(first, "A1")
    fair.collect(first)
    fair.name = "second"
    second = fair.draft()
    second.refuse_excluded_elsewhere = False
    second.save()

    Exclusion.objects.create(campaign=second, worker=good.worker, rule="reference", reason="failed")

    assert first.judgments.counted().count() == 3


def test_rate_excludes_after_failures_that_honest_slips_do_not_explain(fair):
    campaign = fair.opened(screen="rate")

    submission = fair.do_task(campaign, "A1", pass_gold=False)
    fair.collect(campaign)

    assert Exclusion.objects.get().rule == "rate"
    assert "p = 0.0001" in Exclusion.objects.get().reason
    assert refusal_reason(campaign, submission.worker) == "excluded"


def test_record_of_gold_pairs_puts_the_most_failed_first(fair):
    campaign = fair.opened(screen="rate")
    fair.do_task(campaign, "A1")
    fair.do_task(campaign, "A2", pass_gold=False)
    fair.collect(campaign)

    record = gold_record(campaign)

    failed = [row["failed"] for row in record]
    assert failed == sorted(failed, reverse=True)
    assert sum(row["answered"] for row in record) == 4
    assert sum(failed) == 2


def test_lookups_of_forged_addresses_are_limited(fair):
    campaign = fair.opened(max_tasks_per_worker=40)
    submission = fair.open_task(campaign, "A1")
    fair.answer(submission, pass_gold=False)
    session.finish(submission)

    for _ in range(20):
        confirm_failed(campaign, submission.worker)

    assert fair.crowd.calls["submissions"] == 1


def test_an_excluded_worker_with_an_open_task_does_not_stay_at_work(fair):
    campaign = fair.opened()
    held = fair.open_task(campaign, "A1")
    fair.do_task(campaign, "A1", pass_gold=False)
    fair.collect(campaign)

    with time_machine.travel(clock.now() + timedelta(days=2)):
        free_lapsed(campaign)

    held.refresh_from_db()
    assert (held.state, held.standing) == (Submission.State.LAPSED, Submission.Standing.EXCLUDED)


def test_work_that_the_crowd_does_not_confirm_is_not_on_the_workers_record(fair):
    campaign = fair.opened()
    fair.do_task(campaign, "A1")
    fair.collect(campaign)
    forged = fair.open_task(campaign, "A1")
    fair.answer(forged)
    session.finish(forged)

    [row] = records_of(campaign).rows

    assert (row.judgments, row.gold_seen) == (3, 2)


def test_decisions_of_the_rule_are_logged_once(fair):
    campaign = fair.opened()
    fair.do_task(campaign, "ABAD", pass_gold=False)
    fair.do_task(campaign, "AGOOD")
    fair.collect(campaign)
    bad = Exclusion.objects.get().worker
    screen_worker(campaign, bad)

    change = campaign.changes.get(what__contains="excluded")

    assert (change.what, change.who) == (f"worker {bad.pk} excluded by the rule reference", "")
    assert change.why == "failed 2 of 2 gold pairs; one is enough"


def test_two_strikes_repeats_the_first_failed_task_and_excludes_at_the_second_failure(fair):
    campaign = fair.opened(screen="two-strikes", max_tasks_per_worker=4)
    good = fair.do_task(campaign, "A1")
    first = fair.open_task(campaign, "A1")
    fair.answer(first)
    slip = first.slots.exclude(gold_pair=None).first()
    session.save_choice(first, number=slip.number, sequence=9, side=_wrong_side(slip))
    fair.send_off(first)
    fair.collect(campaign)
    first.refresh_from_db()
    good.refresh_from_db()
    assert (first.standing, good.standing) == ("excluded", "counted")
    assert first.task.state == Task.State.WAITING
    assert not Exclusion.objects.exists()
    assert refusal_reason(campaign, first.worker) is None

    fair.do_task(campaign, "A1", pass_gold=False)
    fair.collect(campaign)

    good.refresh_from_db()
    assert (Exclusion.objects.get().rule, good.standing) == ("two-strikes", "excluded")
    assert refusal_reason(campaign, first.worker) == "excluded"
    assert campaign.judgments.counted().count() == 0


def _wrong_side(slot):
    return "left" if slot.gold_pair.relevant_id == slot.right_id else "right"
