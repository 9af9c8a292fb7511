"""Taking, returning and submitting tasks."""

import pytest

from marketplace.errors import TaskRefused
from marketplace.models import Assignment, Departure
from marketplace.services.worker import tasks as taking
from tests.marketplace.conftest import NOW, balance, hours, make_hit, make_type, make_worker, work

pytestmark = pytest.mark.django_db


def reason(call, *arguments):
    with pytest.raises(TaskRefused) as refusal:
        call(*arguments)
    return refusal.value.reason


def test_tasks_are_given_oldest_first_and_once(ask, hit_type, ada, grace):
    made = [make_hit(ask, hit_type) for _ in range(2)]

    given = [taking.take_task(worker, hit_type, NOW).hit.hit_id for worker in (ada, grace)]

    assert given == made


def test_a_worker_who_holds_one_of_a_group_gets_it_again(ask, hit_type, ada):
    make_hit(ask, hit_type)
    make_hit(ask, hit_type)

    assert taking.take_task(ada, hit_type, NOW) == taking.take_task(ada, hit_type, NOW)


def test_a_worker_does_each_hit_once(ask, hit_type, ada):
    make_hit(ask, hit_type, MaxAssignments=2)
    work(ada, hit_type)

    assert reason(taking.take_task, ada, hit_type, NOW) == "all_done"


def test_when_none_is_left_it_says_so(ask, hit_type, ada, grace):
    make_hit(ask, hit_type)
    taking.take_task(grace, hit_type, NOW)

    assert reason(taking.take_task, ada, hit_type, NOW) == "none_left"
    assert reason(taking.take_task, ada, "3NONE", NOW) == "unknown_group"


def test_an_expired_hit_is_not_given(ask, hit_type, ada):
    make_hit(ask, hit_type, LifetimeInSeconds=3600)

    assert reason(taking.take_task, ada, hit_type, NOW + hours(1)) == "none_left"


def test_too_many_held_tasks_are_refused(ask, ada, settings):
    settings.MAX_HELD = 2
    types = [make_type(ask, Title=f"Group {number}") for number in range(3)]
    for type_id in types:
        make_hit(ask, type_id)
    for type_id in types[:2]:
        taking.take_task(ada, type_id, NOW)

    assert reason(taking.take_task, ada, types[2], NOW) == "too_many_held"


def test_system_qualifications_are_read_from_the_worker(ask):
    requirement = {
        "QualificationTypeId": "00000000000000000071",
        "Comparator": "EqualTo",
        "LocaleValues": [{"Country": "US"}],
    }
    hit_type = make_type(ask, QualificationRequirements=[requirement])
    make_hit(ask, hit_type)

    assert (
        reason(taking.take_task, make_worker("from-germany", country="DE"), hit_type, NOW) == "not_qualified"
    )
    assert taking.take_task(make_worker("from-america", country="us"), hit_type, NOW)


def test_a_returned_place_has_another_id_for_the_next_worker(ask, hit_type, ada, grace):
    make_hit(ask, hit_type)
    first = taking.take_task(ada, hit_type, NOW)
    taking.return_task(ada, first.assignment_id, NOW)

    second = taking.take_task(grace, hit_type, NOW)

    assert second.assignment_id != first.assignment_id
    assert (second.hit, second.worker) == (first.hit, grace)
    assert Departure.objects.get().kind == Departure.Kind.RETURNED


def test_a_worker_can_take_a_returned_task_again(ask, hit_type, ada):
    make_hit(ask, hit_type)
    first = taking.take_task(ada, hit_type, NOW)
    taking.return_task(ada, first.assignment_id, NOW)

    assert taking.take_task(ada, hit_type, NOW).hit == first.hit


def test_only_held_tasks_can_be_returned(ask, hit_type, ada, grace):
    make_hit(ask, hit_type)
    held = taking.take_task(ada, hit_type, NOW)

    assert reason(taking.return_task, grace, held.assignment_id, NOW) == "not_held"
    taking.return_task(ada, held.assignment_id, NOW)
    assert reason(taking.return_task, ada, held.assignment_id, NOW) == "not_held"


def test_reserved_names_never_reach_the_answer(ask, hit_type, ada):
    make_hit(ask, hit_type)
    held = taking.take_task(ada, hit_type, NOW)
    fields = [
        ("assignmentId", held.assignment_id),
        ("hitId", "3X"),
        ("workerId", ada.worker_id),
        ("turkSubmitTo", "x"),
        ("choice", "left"),
    ]

    taking.hand_in(held.assignment_id, fields, NOW)

    answer = Assignment.objects.get().answer
    assert answer.count("<Answer>") == 1
    assert "choice" in answer


def test_handing_in_twice_changes_nothing(ask, hit_type, ada):
    make_hit(ask, hit_type)
    held = taking.take_task(ada, hit_type, NOW)
    first = taking.hand_in(held.assignment_id, [("choice", "left")], NOW)

    again = taking.hand_in(held.assignment_id, [("choice", "right")], NOW + hours(0.1))

    assert (first, again) == (True, False)
    stored = Assignment.objects.get()
    assert "left" in stored.answer
    assert stored.submitted_at == NOW


def test_an_answer_needs_one_field_beside_the_id(ask, hit_type, ada):
    make_hit(ask, hit_type)
    held = taking.take_task(ada, hit_type, NOW)

    assert reason(taking.hand_in, held.assignment_id, [("hitId", "3X")], NOW) == "malformed"
    assert reason(taking.hand_in, "", [("choice", "left")], NOW) == "malformed"
    assert reason(taking.hand_in, "3NONE", [("choice", "left")], NOW) == "unknown"
    preview = "ASSIGNMENT_ID_NOT_AVAILABLE"
    assert reason(taking.hand_in, preview, [("choice", "left")], NOW) == "unknown"


def test_after_the_deadline_nothing_is_accepted(ask, hit_type, ada):
    make_hit(ask, hit_type)
    held = taking.take_task(ada, hit_type, NOW)

    late = reason(taking.hand_in, held.assignment_id, [("choice", "left")], NOW + hours(1))

    assert late == "too_late"


@pytest.mark.parametrize("named", [True, False])
def test_a_former_holders_page_cannot_answer_for_the_present_one(ask, hit_type, ada, grace, named):
    make_hit(ask, hit_type)
    held = taking.take_task(ada, hit_type, NOW)
    taking.return_task(ada, held.assignment_id, NOW)
    present = taking.take_task(grace, hit_type, NOW)

    stale = [("choice", "left"), *([("workerId", ada.worker_id)] if named else [])]

    assert reason(taking.hand_in, held.assignment_id, stale, NOW) == "not_held"
    assert taking.hand_in(present.assignment_id, [("choice", "left")], NOW)


def test_a_page_left_open_past_its_deadline_shows_the_reason(ask, hit_type, ada, grace):
    make_hit(ask, hit_type)
    held = taking.take_task(ada, hit_type, NOW)
    taking.take_task(grace, hit_type, NOW + hours(1))

    assert reason(taking.hand_in, held.assignment_id, [("choice", "left")], NOW + hours(1)) == "too_late"


def test_a_holder_may_hand_in_after_the_hit_expired(ask, hit_type, ada):
    hit_id = make_hit(ask, hit_type)
    held = taking.take_task(ada, hit_type, NOW)
    ask("UpdateExpirationForHIT", HITId=hit_id, ExpireAt=NOW)

    taking.hand_in(held.assignment_id, [("choice", "left")], NOW)

    assert ask("GetHIT", HITId=hit_id)["HIT"]["HITStatus"] == "Reviewable"


def test_without_an_approval_delay_work_is_paid_at_once(ask, ada):
    hit_type = make_type(ask, AutoApprovalDelayInSeconds=0)
    make_hit(ask, hit_type)

    work(ada, hit_type)

    assert Assignment.objects.get().status == "Approved"
    assert balance(ask) == ("997.60", "0.00")


def test_the_system_counters_follow_the_work(ask, hit_type, ada):
    make_hit(ask, hit_type)
    ask("ApproveAssignment", AssignmentId=work(ada, hit_type))

    ada.refresh_from_db()

    assert (ada.submitted_count, ada.approved_count) == (1, 1)
