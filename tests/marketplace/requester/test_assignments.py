"""Assignments: listed, approved, rejected, paid."""

import pytest

from marketplace.errors import RequestError, ValidationException
from marketplace.models import LedgerEntry, Requester
from marketplace.services import expiry
from marketplace.services.worker import tasks as taking
from tests.marketplace.conftest import NOW, balance, hours, make_hit, make_worker, refused, work

pytestmark = pytest.mark.django_db


@pytest.fixture
def hit_id(ask, hit_type):
    return make_hit(ask, hit_type, MaxAssignments=3)


def test_submissions_are_listed_with_their_answers(ask, hit_id, hit_type, ada):
    assignment_id = work(ada, hit_type)

    [found] = ask("ListAssignmentsForHIT", HITId=hit_id)["Assignments"]

    assert found["AssignmentId"] == assignment_id
    assert found["WorkerId"] == ada.worker_id
    assert found["AssignmentStatus"] == "Submitted"
    assert found["AutoApprovalTime"] == NOW + hours(24)
    assert "<FreeText>left</FreeText>" in found["Answer"]


def test_held_work_is_not_listed_and_cannot_be_fetched(ask, hit_id, hit_type, ada):
    held = taking.take_task(ada, hit_type, NOW)

    assert ask("ListAssignmentsForHIT", HITId=hit_id)["NumResults"] == 0
    with refused("InvalidAssignmentState"):
        ask("GetAssignment", AssignmentId=held.assignment_id)


@pytest.mark.parametrize("returned", [True, False])
def test_the_error_says_when_an_assignment_was_returned_and_not_that_its_time_ran_out(
    ask, hit_id, hit_type, ada, returned
):
    held = taking.take_task(ada, hit_type, NOW)
    if returned:
        taking.return_task(ada, held.assignment_id, NOW + hours(0.5))
    else:
        expiry.apply_due(NOW + hours(24))

    with pytest.raises(RequestError) as error:
        ask("GetAssignment", AssignmentId=held.assignment_id)

    at = (NOW + hours(0.5)).isoformat()
    assert error.value.headers == ({"X-Returned-At": at} if returned else {})
    assert (f"It was returned at {at}." in str(error.value)) is returned
    assert ("It was returned" in str(error.value)) is returned


def test_the_list_is_filtered_by_status_and_paged(ask, hit_id, hit_type):
    ids = [work(make_worker(f"w{number}"), hit_type) for number in range(3)]
    ask("ApproveAssignment", AssignmentId=ids[1])

    first = ask("ListAssignmentsForHIT", HITId=hit_id, AssignmentStatuses=["Submitted"], MaxResults=1)
    second = ask(
        "ListAssignmentsForHIT",
        HITId=hit_id,
        AssignmentStatuses=["Submitted"],
        MaxResults=1,
        NextToken=first["NextToken"],
    )

    assert [page["Assignments"][0]["AssignmentId"] for page in (first, second)] == [ids[0], ids[2]]
    assert "NextToken" not in second


def test_approval_pays_reward_and_fee_from_what_was_held(ask, requester, hit_id, hit_type, ada):
    assignment_id = work(ada, hit_type)

    ask("ApproveAssignment", AssignmentId=assignment_id, RequesterFeedback="Thank you")

    answer = ask("GetAssignment", AssignmentId=assignment_id)
    assert answer["Assignment"]["AssignmentStatus"] == "Approved"
    assert answer["Assignment"]["RequesterFeedback"] == "Thank you"
    assert answer["HIT"]["NumberOfAssignmentsCompleted"] == 1
    assert balance(ask) == ("992.80", "4.80")
    ada.refresh_from_db()
    assert (ada.approved_count, ada.earned_cents) == (1, 200)


def test_the_ledger_adds_up_to_the_balance(ask, requester, hit_id, hit_type, ada, grace):
    ask("ApproveAssignment", AssignmentId=work(ada, hit_type))
    bonus = {"WorkerId": ada.worker_id, "BonusAmount": "0.50", "Reason": "more", "UniqueRequestToken": "b"}
    ask("SendBonus", AssignmentId=ada.assignments.get().assignment_id, **bonus)
    ask("RejectAssignment", AssignmentId=work(grace, hit_type), RequesterFeedback="empty")

    entries = LedgerEntry.objects.filter(requester=requester)

    total = sum(entry.amount_cents + entry.fee_cents for entry in entries)
    assert total == Requester.objects.get(pk=requester.pk).balance_cents == 100_000 - 240 - 60


def test_a_second_approval_is_refused(ask, hit_id, hit_type, ada):
    assignment_id = work(ada, hit_type)
    ask("ApproveAssignment", AssignmentId=assignment_id)

    with refused("InvalidAssignmentState") as info:
        ask("ApproveAssignment", AssignmentId=assignment_id)

    assert "called with a status of: Submitted" in info.value.message
    assert balance(ask) == ("992.80", "4.80")


def test_a_rejection_pays_nothing_and_frees_the_money(ask, hit_id, hit_type, ada):
    assignment_id = work(ada, hit_type)

    ask("RejectAssignment", AssignmentId=assignment_id, RequesterFeedback="empty")

    assert balance(ask) == ("995.20", "4.80")
    with refused("InvalidAssignmentState"):
        ask("ApproveAssignment", AssignmentId=assignment_id)
    ada.refresh_from_db()
    assert (ada.rejected_count, ada.earned_cents) == (1, 0)


def test_a_rejection_needs_a_reason(ask, hit_id, hit_type, ada):
    with pytest.raises(ValidationException):
        ask("RejectAssignment", AssignmentId=work(ada, hit_type))


def test_a_rejection_can_be_overridden_for_thirty_days(ask, hit_id, hit_type, ada, grace):
    first, second = work(ada, hit_type), work(grace, hit_type)
    for assignment_id in (first, second):
        ask("RejectAssignment", AssignmentId=assignment_id, RequesterFeedback="empty")

    ask("ApproveAssignment", AssignmentId=first, OverrideRejection=True, at=NOW + hours(29 * 24))
    with refused("InvalidAssignmentState"):
        ask("ApproveAssignment", AssignmentId=second, OverrideRejection=True, at=NOW + hours(30 * 24))

    ada.refresh_from_db()
    assert (ada.approved_count, ada.rejected_count, ada.earned_cents) == (1, 0, 200)
    assert balance(ask, NOW + hours(30 * 24)) == ("997.60", "0.00")


def test_an_unknown_assignment_does_not_exist(ask):
    with refused("AssignmentDoesNotExist"):
        ask("ApproveAssignment", AssignmentId="3NONE")
