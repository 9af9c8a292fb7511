"""Repeated pairs: how they are drawn, that they are paid but not counted, and workers' consistency."""

import json

import pytest

from judging.campaign.hourly_pay import expected_pay
from judging.intake.worker_records import records_of
from judging.models import Campaign, Choice, Judgment, Slot, Submission, Worker
from judging.page import session
from judging.people.exclusions import exclude_worker
from judging.rules.behavior_flags import Behavior, Usual, flags_of
from judging.tasks.answers import record_answers
from judging.tasks.displayed_pairs import shown_pairs
from judging.tasks.evidence import progress_of
from judging.tasks.lease_ends import end_submission
from judging.tasks.repeated_pairs import consistency_of, consistency_of_all
from judging.tasks.slots import pairs_in, take_up
from judging.watching.history import course_of
from tests.judging.cast import Fair, good_side
from tournament.services.judgment_export import export_judgments

#: Tasks of two pairs, each with its own question, and one gold pair.
SHAPE = {"pairs_per_task": 2, "gold_per_task": 1, "max_tasks_per_worker": 6, "repeats_per_task": 1}


@pytest.fixture
def campaign(crowd, db) -> Campaign:
    return Fair(crowd, queries=12, passages=2).opened(**SHAPE)


@pytest.fixture
def fair(crowd, campaign) -> Fair:
    found = Fair.__new__(Fair)
    found.crowd, found.collection, found.name = crowd, campaign.collection, "fair"
    return found


def repeat_in(submission: Submission) -> Slot:
    return submission.slots.select_related("repeats__pair").get(repeats__isnull=False)


def answered(fair: Fair, submission: Submission, *, same: bool) -> None:
    """Judge the task, with the repeated pair answered as before or the other way round."""
    again = repeat_in(submission)
    before = Choice.objects.filter(slot=again.repeats).latest("pk").side
    other = {"left": "right", "right": "left"}[before]
    for slot in submission.slots.select_related("gold_pair"):
        side = good_side(slot) if slot != again else (other if same else before)
        session.save_choice(submission, number=slot.number, sequence=0, side=side)
    fair.send_off(submission)


def test_the_first_task_has_no_repeat_and_the_next_one_an_earlier_pair_with_its_sides_swapped(fair, campaign):
    first = fair.do_task(campaign, "A1")
    assert first.slots.count() == 3

    second = fair.open_task(campaign, "A1")

    again = repeat_in(second)
    assert second.slots.count() == 4
    assert (again.left_id, again.right_id) == (again.repeats.right_id, again.repeats.left_id)
    assert again.repeats.submission == first
    assert sorted(second.slots.values_list("number", flat=True)) == [1, 2, 3, 4]


def test_a_repeated_question_is_asked_once_in_its_task(fair, campaign):
    for _ in range(4):
        submission = fair.do_task(campaign, "A1")
        asked = [slot.query for slot in submission.slots.all() if slot.gold_pair_id is None]
        assert len(asked) == len(set(asked))


def test_no_pair_is_repeated_twice_and_the_last_tasks_pairs_come_last(fair, campaign):
    tasks = [fair.do_task(campaign, "A1") for _ in range(5)]

    repeats = Slot.objects.filter(repeats__isnull=False).order_by("submission")

    assert len(set(repeats.values_list("repeats", flat=True))) == 4
    assert all(one.repeats.submission not in tasks[-2:] for one in repeats.filter(submission=tasks[-1]))


def test_pairs_that_the_worker_left_out_or_others_judged_are_not_repeated(fair, campaign):
    fair.do_task(campaign, "A2")
    submission = fair.open_task(campaign, "A1")
    fair.send_off(submission)

    assert fair.open_task(campaign, "A1").slots.count() == 3


def test_a_repeat_is_no_judgment_and_is_paid_like_a_pair(fair, campaign):
    fair.do_task(campaign, "A1")
    second = fair.do_task(campaign, "A1")
    fair.collect(campaign)
    record_answers(second)

    assert progress_of(second) == (4, 4)
    assert Judgment.objects.filter(submission=second).count() == 2
    assert not Judgment.objects.filter(slot=repeat_in(second)).exists()
    second.refresh_from_db()
    assert second.standing == Submission.Standing.COUNTED
    assert expected_pay(campaign).seconds == 160  # four pairs at 40 seconds


def test_the_page_tells_the_number_of_pairs_before_they_are_drawn(fair, campaign, crowd):
    campaign.consent_text = "{pairs} pairs"
    fair.do_task(campaign, "A1")

    submission = fair.open_task(campaign, "A1")
    drawn = submission.slots.count()
    submission.slots.all().delete()

    assert pairs_in(submission) == drawn == 4


def test_a_repeat_looks_like_any_other_pair(fair, campaign):
    fair.do_task(campaign, "A1")
    submission = fair.open_task(campaign, "A1")
    again = repeat_in(submission)

    shown = next(one for one in shown_pairs(submission) if one.number == again.number)

    assert shown.question == again.repeats.pair.query.text
    assert (shown.chosen, shown.made, shown.reported) == ("", 0, [])


def test_a_returned_task_reappears_with_its_repeat(fair, campaign):
    fair.do_task(campaign, "A1")
    submission = fair.open_task(campaign, "A1")
    repeated = repeat_in(submission).repeats_id
    end_submission(submission, Submission.State.RETURNED)

    other = fair.open_task(campaign, "A1")  # another task: the repeat stays with the returned one
    take_up(submission)  # the crowd lists it after all

    assert repeat_in(other).repeats_id != repeated
    assert not repeat_in(submission).given_back


def test_consistency_is_shown_for_each_worker_and_for_all_who_are_not_excluded(fair, campaign):
    for worker, same in (("A1", True), ("A2", False)):
        fair.do_task(campaign, worker)
        answered(fair, fair.open_task(campaign, worker), same=same)
    fair.collect(campaign)
    first, second = Worker.objects.order_by("pk").values_list("pk", flat=True)

    assert consistency_of(campaign) == {first: (1, 1), second: (1, 0)}
    records = {row.worker: row for row in records_of(campaign).rows}
    assert (records[first].consistency, records[second].consistency) == (1.0, 0.0)
    assert (course_of(campaign).repeated, course_of(campaign).consistency) == (2, 0.5)

    exclude_worker(campaign, Worker.objects.get(pk=second), why="a test", who="mia")
    assert consistency_of_all(campaign) == (1, 1)


def test_unconfirmed_answers_are_not_shown(fair, campaign):
    fair.do_task(campaign, "A1")
    fair.do_task(campaign, "A1")

    assert consistency_of(campaign) == {}


@pytest.mark.parametrize(("same", "flagged"), [(20, False), (16, False), (8, True)])
def test_a_worker_far_less_consistent_than_usual_is_flagged(same, flagged):
    one = Behavior(
        judgments=20,
        left=10,
        decided=20,
        compared=0,
        agreeing=0,
        gold_seen=6,
        gold_failed=0,
        tasks_timed=0,
        seconds_per_pair=None,
        repeated=20,
        repeated_same=same,
    )

    names = [flag.name for flag in flags_of(one, Usual(None, None, consistency=0.85))]

    assert names == (["inconsistent"] if flagged else [])


def test_answers_on_repeats_are_in_the_export_with_signals_alone(fair, campaign, tmp_path):
    fair.do_task(campaign, "A1")
    second = fair.open_task(campaign, "A1")
    answered(fair, second, same=True)
    fair.collect(campaign)
    again = repeat_in(second)

    export_judgments(campaign, tmp_path / "plain.jsonl")
    export_judgments(campaign, tmp_path / "signals.jsonl", signals=True)

    plain = [json.loads(line)["kind"] for line in (tmp_path / "plain.jsonl").read_text().splitlines()]
    rows = [json.loads(line) for line in (tmp_path / "signals.jsonl").read_text().splitlines()]
    assert sorted(plain) == ["gold"] * 2 + ["judgment"] * 4
    assert [row["kind"] for row in rows] == ["judgment"] * 4 + ["gold"] * 2 + ["repeat"]
    assert (rows[-1]["topic"], rows[-1]["left"]) == (again.query.qid, again.left.pid)
    before = Judgment.objects.get(slot=again.repeats)
    assert rows[-1]["preferred"] == before.preferred.pid
