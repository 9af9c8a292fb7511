"""HIT types and HITs: created, extended, expired, deleted, listed."""

import pytest

from marketplace.errors import ParameterValidationError
from tests.marketplace.conftest import (
    NOW,
    QUESTION,
    asker,
    balance,
    hours,
    make_hit,
    make_type,
    refused,
    work,
)

pytestmark = pytest.mark.django_db


def test_the_same_values_give_the_same_type(ask):
    assert make_type(ask) == make_type(ask)
    assert make_type(ask) != make_type(ask, Reward="2.01")


def test_two_requesters_have_types_of_their_own(ask):
    from marketplace.services.account import accounts

    other = asker(accounts.create_requester("other", opening_cents=0, now=NOW).requester)

    assert make_type(ask) != make_type(other)


@pytest.mark.parametrize(
    "changes",
    [
        {"Title": "t" * 129},
        {"Title": ""},
        {"Description": "d" * 2001},
        {"Keywords": "k" * 1001},
        {"AssignmentDurationInSeconds": 29},
        {"AutoApprovalDelayInSeconds": 2_592_001},
        {"Reward": "10000.01"},
        {"Reward": "9" * 40},
        {"QualificationRequirements": [{"QualificationTypeId": "x", "Comparator": "EqualTo"}]},
        {"QualificationRequirements": [{"QualificationTypeId": "x", "Comparator": "Exists"}] * 11},
    ],
)
def test_a_type_beyond_the_limits_is_refused(ask, changes):
    with pytest.raises(ParameterValidationError):
        make_type(ask, **changes)


def test_a_type_cannot_ask_for_a_qualification_that_is_not_there(ask):
    with refused("QualificationTypeDoesNotExist"):
        make_type(ask, QualificationRequirements=[{"QualificationTypeId": "3NONE", "Comparator": "Exists"}])


def test_create_hit_makes_its_type_by_the_way(ask):
    hit = ask(
        "CreateHIT",
        Title="Compare passages",
        Description="Say which of two passages answers a question better.",
        Reward="2.00",
        AssignmentDurationInSeconds=3600,
        AutoApprovalDelayInSeconds=86400,
        LifetimeInSeconds=3600,
        Question=QUESTION,
        RequesterAnnotation="place 1",
    )["HIT"]

    assert hit["HITTypeId"] == make_type(ask)
    assert hit["HITStatus"] == "Assignable"
    assert hit["RequesterAnnotation"] == "place 1"
    assert hit["Expiration"] == NOW + hours(1)


def test_a_hit_holds_back_reward_and_fee(ask, hit_type):
    make_hit(ask, hit_type, MaxAssignments=3)

    assert balance(ask) == ("992.80", "7.20")


def test_ten_places_hold_back_the_higher_fee(ask, hit_type):
    make_hit(ask, hit_type, MaxAssignments=10)

    assert balance(ask) == ("972.00", "28.00")


def test_a_hit_beyond_the_balance_is_refused_and_leaves_nothing(ask, hit_type):
    with refused("InsufficientFunds"):
        make_hit(ask, hit_type, MaxAssignments=9, UniqueRequestToken="t")
        make_hit(ask, make_type(ask, Reward="1000"), UniqueRequestToken="u")

    assert ask("ListHITs")["NumResults"] == 1
    make_hit(ask, hit_type, UniqueRequestToken="u")


@pytest.mark.parametrize(
    "changes",
    [
        {"LifetimeInSeconds": 29},
        {"MaxAssignments": 0},
        {"RequesterAnnotation": "a" * 256},
        {"HITLayoutId": "3LAYOUT"},
        {"HITReviewPolicy": {"PolicyName": "SimplePlurality/2011-09-01"}},
    ],
)
def test_a_hit_beyond_the_limits_is_refused(ask, hit_type, changes):
    with pytest.raises(ParameterValidationError):
        make_hit(ask, hit_type, **changes)


def test_another_requesters_hit_does_not_exist(ask, hit_type):
    from marketplace.services.account import accounts

    hit_id = make_hit(ask, hit_type)
    other = asker(accounts.create_requester("other", opening_cents=0, now=NOW).requester)

    for name in ("GetHIT", "DeleteHIT", "ListAssignmentsForHIT"):
        with refused("HITDoesNotExist"):
            other(name, HITId=hit_id)
    with refused("HITTypeDoesNotExist"):
        make_hit(other, hit_type)


def test_a_token_acts_once_and_then_names_the_hit(ask, hit_type):
    hit_id = make_hit(ask, hit_type, UniqueRequestToken="place-1")

    with refused("HitAlreadyExists") as info:
        make_hit(ask, hit_type, UniqueRequestToken="place-1", at=NOW + hours(23.9))

    assert hit_id in info.value.message
    assert ask("ListHITs")["NumResults"] == 1


def test_a_token_is_forgotten_after_a_day(ask, hit_type):
    first = make_hit(ask, hit_type, UniqueRequestToken="place-1")
    second = make_hit(ask, hit_type, UniqueRequestToken="place-1", at=NOW + hours(24))

    assert first != second
    with refused("HitAlreadyExists"):
        make_hit(ask, hit_type, UniqueRequestToken="place-1", at=NOW + hours(30))


def test_the_list_is_paged_newest_first_to_its_end(ask, hit_type):
    made = [make_hit(ask, hit_type) for _ in range(7)]

    seen, token = [], None
    while True:
        page = ask("ListHITs", MaxResults=3, **({"NextToken": token} if token else {}))
        seen += [hit["HITId"] for hit in page["HITs"]]
        token = page.get("NextToken")
        if token is None:
            break

    assert seen == made[::-1]
    assert page["NumResults"] == 1


def test_a_page_is_ten_long_unless_asked_otherwise(ask, hit_type):
    for _ in range(11):
        make_hit(ask, hit_type)

    assert ask("ListHITs")["NumResults"] == 10


def test_a_hit_made_while_paging_neither_repeats_nor_hides_another(ask, hit_type):
    made = [make_hit(ask, hit_type) for _ in range(4)]
    first = ask("ListHITs", MaxResults=2)
    make_hit(ask, hit_type)

    second = ask("ListHITs", MaxResults=2, NextToken=first["NextToken"])

    assert [hit["HITId"] for hit in second["HITs"]] == made[1::-1]


@pytest.mark.parametrize("token", ["garbage", "WyJoaXRzIiwxXQ:1:x"])
def test_a_forged_token_is_refused(ask, token):
    with pytest.raises(ParameterValidationError, match="NextToken"):
        ask("ListHITs", NextToken=token)


def test_a_token_of_another_list_is_refused(ask, hit_type):
    for _ in range(2):
        make_hit(ask, hit_type)
    token = ask("ListHITs", MaxResults=1)["NextToken"]

    with pytest.raises(ParameterValidationError, match="another list"):
        ask("ListReviewableHITs", NextToken=token)


def test_a_hit_expires_by_itself_and_frees_its_money(ask, hit_type):
    hit_id = make_hit(ask, hit_type, LifetimeInSeconds=3600)
    later = NOW + hours(1)

    assert ask("GetHIT", HITId=hit_id, at=later)["HIT"]["HITStatus"] == "Reviewable"
    assert balance(ask, later) == ("1000.00", "0.00")
    assert ask("ListReviewableHITs", at=later)["NumResults"] == 1


def test_expiring_at_once_stores_the_time_of_the_call(ask, hit_type):
    hit_id = make_hit(ask, hit_type)

    ask("UpdateExpirationForHIT", HITId=hit_id, ExpireAt=NOW - hours(1000), at=NOW + hours(1))
    ask("UpdateExpirationForHIT", HITId=hit_id, ExpireAt=NOW - hours(1000), at=NOW + hours(2))

    hit = ask("GetHIT", HITId=hit_id, at=NOW + hours(2))["HIT"]
    assert (hit["HITStatus"], hit["Expiration"]) == ("Reviewable", NOW + hours(2))


def test_a_later_expiry_opens_the_hit_again_and_holds_its_money_again(ask, hit_type):
    hit_id = make_hit(ask, hit_type, LifetimeInSeconds=3600)
    later = NOW + hours(2)
    ask("UpdateExpirationForHIT", HITId=hit_id, ExpireAt=NOW + hours(9), at=later)

    assert ask("GetHIT", HITId=hit_id, at=later)["HIT"]["HITStatus"] == "Assignable"
    assert balance(ask, later) == ("997.60", "2.40")


def test_a_holder_keeps_an_expired_hit_unassignable(ask, hit_type, ada):
    from marketplace.services.worker import tasks as taking

    hit_id = make_hit(ask, hit_type, MaxAssignments=2)
    taking.take_task(ada, hit_type, NOW)
    ask("UpdateExpirationForHIT", HITId=hit_id, ExpireAt=NOW)

    hit = ask("GetHIT", HITId=hit_id)["HIT"]
    assert hit["HITStatus"] == "Unassignable"
    assert (hit["NumberOfAssignmentsPending"], hit["NumberOfAssignmentsAvailable"]) == (1, 1)
    assert balance(ask) == ("997.60", "2.40")


def test_a_hit_is_deleted_only_when_over_and_reviewed(ask, hit_type, ada):
    hit_id = make_hit(ask, hit_type)
    with refused("InvalidHITState") as info:
        ask("DeleteHIT", HITId=hit_id)
    assert "'Assignable'" in info.value.message

    assignment_id = work(ada, hit_type)
    with refused("InvalidHITState") as info:
        ask("DeleteHIT", HITId=hit_id)
    assert "'Reviewable'" in info.value.message

    ask("ApproveAssignment", AssignmentId=assignment_id)
    ask("DeleteHIT", HITId=hit_id)

    for name in ("GetHIT", "ListAssignmentsForHIT", "DeleteHIT"):
        with refused("HITDoesNotExist"):
            ask(name, HITId=hit_id)
    assert ask("ListHITs")["NumResults"] == 0


def test_additional_assignments_are_offered_and_held_back(ask, hit_type, ada):
    hit_id = make_hit(ask, hit_type)
    work(ada, hit_type)

    request = {"HITId": hit_id, "NumberOfAdditionalAssignments": 2, "UniqueRequestToken": "more"}
    ask("CreateAdditionalAssignmentsForHIT", **request)
    with refused("RequestAlreadyProcessed"):
        ask("CreateAdditionalAssignmentsForHIT", **request)

    hit = ask("GetHIT", HITId=hit_id)["HIT"]
    assert (hit["HITStatus"], hit["MaxAssignments"]) == ("Assignable", 3)
    assert balance(ask) == ("992.80", "7.20")


def test_nine_assignments_cannot_become_ten(ask, hit_type):
    hit_id = make_hit(ask, hit_type, MaxAssignments=9)

    with refused("InvalidMaximumAssignmentsIncrease"):
        ask("CreateAdditionalAssignmentsForHIT", HITId=hit_id, NumberOfAdditionalAssignments=1)


def test_an_expired_hit_can_be_extended_without_opening_it(ask, hit_type):
    hit_id = make_hit(ask, hit_type, LifetimeInSeconds=30)
    later = NOW + hours(1)

    ask("CreateAdditionalAssignmentsForHIT", HITId=hit_id, NumberOfAdditionalAssignments=1, at=later)

    assert ask("GetHIT", HITId=hit_id, at=later)["HIT"]["HITStatus"] == "Reviewable"
    assert balance(ask, later) == ("1000.00", "0.00")


def status_of(ask, hit):
    return ask("GetHIT", HITId=hit)["HIT"]["HITStatus"]


def test_reviewing_is_a_marker_that_can_be_taken_back(ask, hit_type):
    hit = make_hit(ask, hit_type)
    with refused("InvalidHITState"):
        ask("UpdateHITReviewStatus", HITId=hit)
    ask("UpdateExpirationForHIT", HITId=hit, ExpireAt=NOW)

    for revert, status in (
        (False, "Reviewing"),
        (False, "Reviewing"),
        (True, "Reviewable"),
        (True, "Reviewable"),
    ):
        ask("UpdateHITReviewStatus", HITId=hit, Revert=revert)
        assert status_of(ask, hit) == status


def test_reviewing_hits_are_listed_apart(ask, hit_type):
    hit = make_hit(ask, hit_type)
    ask("UpdateExpirationForHIT", HITId=hit, ExpireAt=NOW)
    ask("UpdateHITReviewStatus", HITId=hit)

    assert ask("ListReviewableHITs")["HITs"] == []
    assert [row["HITId"] for row in ask("ListReviewableHITs", Status="Reviewing")["HITs"]] == [hit]


def test_an_untouched_hit_takes_another_type_and_its_price(ask, hit_type):
    hit = make_hit(ask, hit_type, MaxAssignments=2)
    dearer = make_type(ask, Title="Compare three", Reward="5.00")

    ask("UpdateHITTypeOfHIT", HITId=hit, HITTypeId=dearer)

    read = ask("GetHIT", HITId=hit)["HIT"]
    assert (read["HITTypeId"], read["Title"], read["Reward"]) == (dearer, "Compare three", "5.00")
    assert balance(ask) == ("988.00", "12.00")


def test_a_type_that_cannot_be_paid_is_not_taken(ask, hit_type):
    hit = make_hit(ask, hit_type)

    with refused("InsufficientFunds"):
        ask("UpdateHITTypeOfHIT", HITId=hit, HITTypeId=make_type(ask, Reward="900.00"))

    assert ask("GetHIT", HITId=hit)["HIT"]["HITTypeId"] == hit_type
    assert balance(ask) == ("997.60", "2.40")


def test_a_hit_that_was_taken_keeps_its_type_even_when_it_was_given_back(ask, hit_type, ada):
    from marketplace.services.worker import tasks as taking

    hit, other = make_hit(ask, hit_type), make_type(ask, Title="other")
    taken = taking.take_task(ada, hit_type, NOW)
    with refused("InvalidHITState"):
        ask("UpdateHITTypeOfHIT", HITId=hit, HITTypeId=other)
    taking.return_task(ada, taken.assignment_id, NOW)

    with refused("InvalidHITState"):
        ask("UpdateHITTypeOfHIT", HITId=hit, HITTypeId=other)
    with refused("HITTypeDoesNotExist"):
        ask("UpdateHITTypeOfHIT", HITId=hit, HITTypeId="3NONE")


def test_a_hit_without_review_policies_has_no_results(ask, hit_type):
    hit = make_hit(ask, hit_type)

    assert ask("ListReviewPolicyResultsForHIT", HITId=hit) == {"HITId": hit}
    with refused("HITDoesNotExist"):
        ask("ListReviewPolicyResultsForHIT", HITId="3NONE")


def test_no_answer_has_an_uploaded_file(ask, hit_type, ada):
    make_hit(ask, hit_type)

    with refused("InvalidParameterValue"):
        ask("GetFileUploadURL", AssignmentId=work(ada, hit_type), QuestionIdentifier="q")
    with refused("AssignmentDoesNotExist"):
        ask("GetFileUploadURL", AssignmentId="3NONE", QuestionIdentifier="q")


def test_every_operation_of_the_service_model_is_offered():
    from marketplace.protocol import shapes
    from marketplace.services.requester import operations

    assert sorted(operations.OPERATIONS) == sorted(shapes.service().operation_names)
