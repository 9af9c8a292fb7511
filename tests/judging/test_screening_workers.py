from __future__ import annotations

from judging.models import Exclusion, GoldPair, Submission, Task
from judging.services import working
from judging.services.screening_workers import gold_record, screen_worker
from judging.services.workers import refusal_reason


def test_worker_who_failed_is_excluded_as_soon_as_the_task_is_sent_off(fair):
    campaign = fair.opened()
    submission = fair.open_task(campaign, "A1")
    fair.answer(submission, pass_gold=False)

    working.finish(submission)

    exclusion = Exclusion.objects.get()
    assert (exclusion.rule, exclusion.decided_by) == ("reference", "")
    assert "failed 2 of 2" in exclusion.reason
    assert set(exclusion.gold_answers.values_list("passed", flat=True)) == {False}
    assert refusal_reason(campaign, submission.worker) == "excluded"


def test_undecided_on_gold_is_a_failure(fair):
    campaign = fair.opened(allow_undecided=True)
    submission = fair.open_task(campaign, "A1")
    fair.answer(submission)
    gold = submission.slots.exclude(gold_pair=None).first()
    working.save_choice(submission, number=gold.number, sequence=1, side="undecided")

    working.finish(submission)

    assert Exclusion.objects.get().gold_answers.get().gold_pair == gold.gold_pair


def test_screening_twice_is_one_exclusion(fair):
    campaign = fair.opened()
    submission = fair.do_task(campaign, "A1", pass_gold=False)

    first = screen_worker(campaign, submission.worker)
    again = screen_worker(campaign, submission.worker)

    assert first == again
    assert Exclusion.objects.count() == 1


def test_suspended_gold_says_nothing(fair):
    campaign = fair.opened()
    GoldPair.objects.update(state=GoldPair.State.ACCEPTED)
    submission = fair.open_task(campaign, "A1")
    fair.answer(submission, pass_gold=False)
    GoldPair.objects.update(state=GoldPair.State.SUSPENDED)

    working.finish(submission)

    assert not Exclusion.objects.exists()


def test_exclusion_frees_the_task_the_worker_still_holds(fair):
    campaign = fair.opened()
    held = fair.open_task(campaign, "A1")
    fair.do_task(campaign, "A1", pass_gold=False)

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

    assert Exclusion.objects.get().rule == "rate"
    assert "p = 0.0025" in Exclusion.objects.get().reason
    assert refusal_reason(campaign, submission.worker) == "excluded"


def test_record_of_gold_pairs_puts_the_most_failed_first(fair):
    campaign = fair.opened(screen="rate")
    fair.do_task(campaign, "A1")
    fair.do_task(campaign, "A2", pass_gold=False)

    record = gold_record(campaign)

    failed = [row["failed"] for row in record]
    assert failed == sorted(failed, reverse=True)
    assert sum(row["answered"] for row in record) == 4
    assert sum(failed) == 2
