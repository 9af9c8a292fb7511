from datetime import timedelta
from decimal import Decimal

import pytest
from django.db.models import Count

from config import clock
from judging.errors import CrowdNever
from judging.intake import collection
from judging.intake.collection import campaigns_to_collect, collect
from judging.intake.places import close_places, post_places
from judging.intake.screened_work import stop_counting
from judging.launch.closure import close, finish_closing
from judging.models import Campaign, Choice, GoldAnswer, Judgment, Payment, Place, Submission, Task, TaskPair
from judging.money.payments import earned_so_far
from judging.page import session
from judging.page.last_step import last_step
from judging.rules.deadlines import GRACE, offered_seconds
from judging.watching.status import campaign_status, is_complete

LAPSED = timedelta(seconds=offered_seconds(3600)) + GRACE + timedelta(minutes=1)


def counted_per_pair(campaign: Campaign) -> list[int]:
    """Return the number of counted judgments for each pair of the campaign."""
    counted = Judgment.objects.filter(campaign=campaign).counted()
    return [counted.filter(pair=pair).count() for pair in campaign.pairs.all()]


def test_a_submission_the_crowd_confirms_counts_and_is_paid_once(fair):
    campaign = fair.opened()
    submission = fair.do_task(campaign, "A1")

    fair.collect(campaign)
    fair.collect(campaign)

    submission.refresh_from_db()
    assert (submission.state, submission.standing) == ("submitted", "counted")
    assert submission.task.state == Task.State.DONE
    assert Judgment.objects.filter(submission=submission).counted().count() == 3
    assert GoldAnswer.objects.filter(submission=submission, passed=True).count() == 2
    assert fair.crowd.approvals == [submission.assignment_id]
    reward, bonus = Payment.objects.filter(submission=submission).order_by("-kind")
    assert (reward.state, reward.amount, reward.fee) == ("paid", Decimal("0.20"), Decimal("0.04"))
    assert (bonus.state, bonus.amount, bonus.fee) == ("paid", Decimal("1.80"), Decimal("0.36"))
    assert (reward.call.state, bonus.call.state) == ("done", "done")


def test_judgments_do_not_count_before_the_crowd_confirms_them(fair):
    campaign = fair.opened()
    submission = fair.open_task(campaign, "A1")
    fair.answer(submission)
    session.finish(submission)

    fair.collect(campaign)

    assert Judgment.objects.filter(campaign=campaign).count() == 3
    assert Judgment.objects.filter(campaign=campaign).counted().count() == 0
    assert not Payment.objects.exists()


def test_whole_campaign_is_judged_with_each_pair_as_often_as_wanted(fair):
    campaign = fair.opened(judgments_per_pair=2)

    for worker in ("A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8"):
        fair.do_task(campaign, worker)
    fair.collect(campaign)

    assert is_complete(campaign)
    assert counted_per_pair(campaign) == [2] * 12
    pairs_of_workers = Judgment.objects.values_list("pair", "worker")
    assert len(set(pairs_of_workers)) == 24
    assert fair.crowd.open_places == 0


def test_failed_gold_excludes_all_of_the_workers_judgments_and_repeats_their_tasks(fair):
    campaign = fair.opened()
    first = fair.do_task(campaign, "A1")
    fair.collect(campaign)
    second = fair.do_task(campaign, "A1", pass_gold=False)

    collected = fair.collect(campaign)

    assert collected.places_wanted == 2
    for submission in (first, second):
        submission.refresh_from_db()
        assert submission.standing == Submission.Standing.EXCLUDED
        assert submission.task.state == Task.State.WAITING
    assert Judgment.objects.filter(campaign=campaign).counted().count() == 0
    assert len(fair.crowd.approvals) == 2, "excluded work is paid like other work"
    assert fair.crowd.open_places == campaign.tasks.count()
    with pytest.raises(session.WorkRefused, match="excluded"):
        fair.open_task(campaign, "A1")


def test_exclusion_decided_while_a_submission_is_settled_wins(fair, monkeypatch):
    campaign = fair.opened()
    submission = fair.do_task(campaign, "A1")
    look = collection._screened_standing

    def excluded_meanwhile(campaign, submission):
        standing = look(campaign, submission)
        stop_counting(campaign, submission.worker)
        return standing

    monkeypatch.setattr(collection, "_screened_standing", excluded_meanwhile)
    fair.collect(campaign)

    submission.refresh_from_db()
    assert submission.standing == Submission.Standing.EXCLUDED
    assert submission.task.state == Task.State.WAITING
    assert fair.crowd.open_places == campaign.tasks.count()


def test_repeats_go_to_others_until_every_pair_counts(fair):
    campaign = fair.opened()
    fair.do_task(campaign, "A1", pass_gold=False)
    fair.collect(campaign)

    for worker in ("A2", "A3", "A4", "A5"):
        fair.do_task(campaign, worker)
    fair.collect(campaign)

    assert is_complete(campaign)
    assert counted_per_pair(campaign) == [1] * 12
    status = campaign_status(campaign)
    assert status["judgments"]["excluded"] == 3
    assert status["exclusions"] == 1


def test_rate_screening_repeats_a_failing_task_and_keeps_its_worker(fair):
    campaign = fair.opened(screen="rate")
    good = fair.do_task(campaign, "A1")
    submission = fair.open_task(campaign, "A1")
    gold = submission.slots.exclude(gold_pair=None).order_by("number").first()
    session.save_choice(submission, number=gold.number, sequence=0, side=_wrong(gold))
    for slot in submission.slots.exclude(pk=gold.pk).select_related("gold_pair"):
        side = "left" if slot.gold_pair is None or slot.left_id == slot.gold_pair.relevant_id else "right"
        session.save_choice(submission, number=slot.number, sequence=0, side=side)
    session.finish(submission)
    fair.hand_in(submission)

    fair.collect(campaign)

    submission.refresh_from_db()
    good.refresh_from_db()
    assert (good.standing, submission.standing) == ("counted", "excluded")
    assert submission.task.state == Task.State.WAITING
    assert campaign_status(campaign)["exclusions"] == 0
    assert fair.open_task(campaign, "A1").state == Submission.State.HELD


def _wrong(slot):
    return "right" if slot.left_id == slot.gold_pair.relevant_id else "left"


def test_answers_that_our_server_signed_fill_in_what_a_restored_backup_lost(fair, crowd_site):
    campaign = fair.opened()
    submission = fair.open_task(campaign, "A1")
    fair.answer(submission)
    session.finish(submission, comment="nice")
    fair.hand_in(submission, dict(last_step(submission, crowd_site, earned_so_far(submission)).fields))
    # The backup is from just after the second choice.
    Choice.objects.filter(slot__submission=submission, slot__number__gt=2).delete()
    Judgment.objects.all().delete()
    GoldAnswer.objects.all().delete()
    Submission.objects.update(state="held", finished_at=None, comment="")

    fair.collect(campaign)

    submission.refresh_from_db()
    assert (submission.standing, submission.comment) == ("counted", "nice")
    assert Judgment.objects.filter(submission=submission).count() == 3
    assert Judgment.objects.filter(submission=submission, judged_at=submission.submitted_at).exists()


def test_our_saved_choice_counts_if_the_form_differs(fair):
    campaign = fair.opened()
    submission = fair.open_task(campaign, "A1")
    fair.answer(submission)
    session.finish(submission)
    pair = submission.slots.exclude(pair=None).order_by("number").first()
    fair.hand_in(submission, {f"choice-{pair.number}": "right"})

    fair.collect(campaign)

    assert Judgment.objects.get(slot=pair).preferred_id == pair.left_id


def test_garbled_answers_of_the_form_are_not_taken_over(fair):
    campaign = fair.opened()
    submission = fair.open_task(campaign, "A1")
    fair.hand_in(
        submission, {f"choice-{number}": "undecided" for number in range(1, 6)} | {"choice-x": "left"}
    )

    fair.collect(campaign)

    submission.refresh_from_db()
    assert submission.standing == Submission.Standing.UNFINISHED
    assert not Judgment.objects.filter(submission=submission).exists()


def test_leaving_before_all_gold_is_paid_and_repeated_by_others(fair):
    campaign = fair.opened()
    submission = fair.open_task(campaign, "A1")
    pair = submission.slots.exclude(pair=None).order_by("number").first()
    session.save_choice(submission, number=pair.number, sequence=0, side="left")
    fair.hand_in(submission)

    fair.collect(campaign)

    submission.refresh_from_db()
    assert submission.standing == Submission.Standing.UNFINISHED
    assert submission.task.state == Task.State.WAITING
    assert fair.crowd.approvals == [submission.assignment_id]
    assert fair.crowd.open_places == campaign.tasks.count()


def test_with_all_gold_passed_judged_pairs_count_and_the_rest_is_repacked(fair):
    campaign = fair.opened()
    submission = fair.open_task(campaign, "A1")
    pairs = list(submission.slots.exclude(pair=None).order_by("number"))
    for slot in [*submission.slots.exclude(gold_pair=None).select_related("gold_pair"), pairs[0]]:
        side = "left" if slot.gold_pair is None or slot.left_id == slot.gold_pair.relevant_id else "right"
        session.save_choice(submission, number=slot.number, sequence=0, side=side)
    fair.hand_in(submission)

    fair.collect(campaign)

    submission.refresh_from_db()
    assert submission.standing == Submission.Standing.COUNTED
    assert set(submission.task.task_pairs.values_list("pair", flat=True)) == {pairs[0].pair_id}
    packed = Task.objects.get(campaign=campaign, number=5)
    assert set(packed.task_pairs.values_list("pair", flat=True)) == {pairs[1].pair_id, pairs[2].pair_id}
    assert TaskPair.objects.filter(task__campaign=campaign).count() == 12
    assert fair.crowd.open_places == 4


def test_pairs_that_several_workers_left_share_a_task(fair):
    campaign = fair.opened()
    asked = set()
    for worker in ("A1", "A2", "A3"):
        submission = fair.open_task(campaign, worker)
        slots = list(submission.slots.select_related("gold_pair", "pair").order_by("number"))
        skipped = next(slot for slot in slots if slot.pair and slot.pair.query_id not in asked)
        asked.add(skipped.pair.query_id)
        for slot in slots:
            if slot != skipped:
                fair.answer_slot(submission, slot)
        fair.send_off(submission)
        fair.collect(campaign)

    tasks = campaign.tasks.order_by("number").annotate(Count("task_pairs"))
    assert [*tasks.values_list("state", "task_pairs__count")] == [*[("done", 2)] * 3, *[("waiting", 3)] * 2]
    assert fair.crowd.open_places == 2


def test_submission_unknown_here_is_held_and_its_place_offered_again(fair):
    campaign = fair.opened()
    place = fair.crowd.take("A9")
    fair.crowd.hand_in(place, {"choice-1": "left"})

    fair.collect(campaign)

    submission = Submission.objects.get(assignment_id=place.assignment_id)
    assert (submission.state, submission.standing, submission.task) == ("submitted", "unknown", None)
    assert (fair.crowd.approvals, {*submission.payments.values_list("state", flat=True)}) == ([], {"held"})
    assert fair.crowd.open_places == campaign.tasks.count()


def test_assignment_that_passes_to_another_worker_is_another_submission(fair):
    campaign = fair.opened()
    left = fair.open_task(campaign, "A1")
    place = fair.crowd.posted[left.place.crowd_id]
    fair.crowd.give_back(place)
    submission = fair.open_task(campaign, "A2", place)
    fair.answer(submission)
    session.finish(submission)
    fair.hand_in(submission)

    fair.collect(campaign)

    left.refresh_from_db()
    submission.refresh_from_db()
    assert left.assignment_id == submission.assignment_id
    assert (left.state, submission.standing) == ("returned", "counted")


def test_lapsed_lease_frees_the_task_and_a_late_submission_is_surplus_when_another_did_it(fair):
    campaign = fair.opened(pairs_per_task=12)
    late = fair.open_task(campaign, "A1")
    fair.answer(late)
    with clock.shifted(LAPSED):
        collect(campaign)
        late.refresh_from_db()
        assert late.state == Submission.State.LAPSED
        Place.objects.create(posting=late.place.posting, number=99)
        post_places(campaign)
        assert fair.do_task(campaign, "A2").task_id == late.task_id
        fair.collect(campaign)
        fair.hand_in(late)
        fair.collect(campaign)

    late.refresh_from_db()
    assert late.standing == Submission.Standing.SURPLUS
    assert counted_per_pair(campaign) == [1] * 12
    assert late.assignment_id in fair.crowd.approvals


def test_late_submission_whose_task_lost_pairs_meanwhile_is_surplus(fair):
    campaign = fair.opened()
    late = fair.open_task(campaign, "A1")
    fair.answer(late)
    with clock.shifted(LAPSED):
        collect(campaign)
        moved = late.task.task_pairs.first()
        moved.task = Task.objects.create(campaign=campaign, number=99)
        moved.save()
        fair.hand_in(late)
        fair.collect(campaign)

    late.refresh_from_db()
    assert late.standing == Submission.Standing.SURPLUS


def test_expired_place_is_offered_again(fair):
    campaign = fair.opened()
    for place in fair.crowd.posted.values():
        place.closed = True

    collected = fair.collect(campaign)

    assert collected.places_wanted == 4
    assert Place.objects.filter(state=Place.State.GONE).count() == 4
    assert fair.crowd.open_places == 4


def test_submission_that_turns_up_on_a_place_given_up_is_still_taken_in(fair):
    campaign = fair.opened()
    submission = fair.open_task(campaign, "A1")
    fair.answer(submission)
    session.finish(submission)
    Place.objects.filter(pk=submission.place_id).update(state=Place.State.GONE)
    fair.hand_in(submission)

    fair.collect(campaign)

    submission.refresh_from_db()
    assert submission.standing == Submission.Standing.COUNTED
    assert submission.place.state == Place.State.FILLED
    assert fair.crowd.approvals == [submission.assignment_id]


def test_place_the_crowd_does_not_know_holds_up_no_other(fair):
    campaign = fair.opened()
    for worker in ("A1", "A2"):
        fair.do_task(campaign, worker)
    fair.crowd.fail("submissions", CrowdNever("the place does not exist"))

    fair.collect(campaign)

    assert Submission.objects.filter(standing=Submission.Standing.COUNTED).count() == 1


def test_closed_campaign_is_collected_until_nobody_is_owed(fair):
    campaign = fair.opened()
    fair.do_task(campaign, "A1")
    close(campaign)
    assert campaigns_to_collect() == [campaign]

    close_places(campaign)
    fair.collect(campaign)
    assert len(fair.crowd.approvals) == 1
    assert finish_closing(campaign)

    assert campaigns_to_collect() == []


def test_simulated_workers_judgments_say_so(fair):
    from judging.workers.identities import crowd_namespace, declare_simulated

    campaign = fair.opened()
    declare_simulated(crowd_namespace(campaign), ["A1"])
    fair.do_task(campaign, "A1")
    fair.do_task(campaign, "A2")

    fair.collect(campaign)

    kinds = Judgment.objects.order_by("pk").values_list("judge_kind", flat=True)
    assert list(kinds) == ["simulated"] * 3 + ["human"] * 3
