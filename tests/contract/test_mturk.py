"""One contract for every endpoint that speaks MTurk's requester protocol, tested with real boto3.

This file: authentication, HITs, assignments, money. tests/contract/conftest.py chooses the endpoint.
"""

import re
import uuid
import xml.etree.ElementTree as ElementTree
from datetime import UTC, datetime, timedelta

import pytest

from tests.contract.endpoint import (
    ANSWERS,
    QUESTION,
    make_client,
    make_hit,
    refused,
    start_marketplace,  # noqa: F401  (journeys and drills start their marketplaces with it)
    submit,
)


def test_the_balance_is_an_amount(crowd):
    assert re.fullmatch(r"\d+\.\d\d", crowd.get_account_balance()["AvailableBalance"])


def test_a_wrong_secret_is_refused(endpoint):
    client = make_client(endpoint.url, endpoint.access_key, "wrong")

    assert refused(client.get_account_balance)["Error"]["Code"] == "InvalidSignatureException"
    client.close()


def test_an_unknown_key_is_refused(endpoint):
    client = make_client(endpoint.url, "AKIAUNKNOWN", endpoint.secret_key)

    assert refused(client.get_account_balance)["Error"]["Code"] == "UnrecognizedClientException"
    client.close()


def test_equal_values_give_the_same_hit_type(crowd):
    values = {
        "Title": f"T {uuid.uuid4().hex}",
        "Description": "d",
        "Reward": "0.10",
        "AssignmentDurationInSeconds": 60,
    }

    assert crowd.create_hit_type(**values)["HITTypeId"] == crowd.create_hit_type(**values)["HITTypeId"]


def test_a_hit_is_read_back_as_it_was_made(crowd, hit_type):
    made = make_hit(crowd, hit_type, MaxAssignments=2, RequesterAnnotation="place 7")

    read = crowd.get_hit(HITId=made["HITId"])["HIT"]

    assert read["HITTypeId"] == hit_type
    assert read["HITStatus"] == "Assignable"
    assert read["RequesterAnnotation"] == "place 7"
    assert (read["MaxAssignments"], read["NumberOfAssignmentsAvailable"]) == (2, 2)
    assert read["Expiration"] - read["CreationTime"] == timedelta(hours=1)


def test_a_repeated_token_names_the_hit_it_made(crowd, hit_type):
    token = uuid.uuid4().hex
    made = make_hit(crowd, hit_type, UniqueRequestToken=token)

    response = refused(
        crowd.create_hit_with_hit_type,
        HITTypeId=hit_type,
        Question=QUESTION,
        LifetimeInSeconds=3600,
        UniqueRequestToken=token,
    )

    assert response["Error"]["Code"] == "RequestError"
    assert response["TurkErrorCode"].lower() == "aws.mechanicalturk.hitalreadyexists"
    assert made["HITId"] in response["Message"]


def test_a_hit_is_found_by_its_annotation_through_the_pages(crowd, hit_type):
    wanted = uuid.uuid4().hex
    make_hit(crowd, hit_type, RequesterAnnotation=wanted)
    for _ in range(3):
        make_hit(crowd, hit_type)

    pages = crowd.get_paginator("list_hits").paginate(PaginationConfig={"PageSize": 2})
    found = [hit for page in pages for hit in page["HITs"] if hit.get("RequesterAnnotation") == wanted]

    assert len(found) == 1


def test_the_endpoint_checks_what_boto3_does_not(crowd, hit):
    too_long = refused(crowd.get_hit, HITId="3" * 65)
    third_decimal = refused(
        crowd.send_bonus, WorkerId="AX", AssignmentId="3X", Reason="r", BonusAmount="0.9752"
    )

    assert too_long["Error"]["Code"] == "ValidationException"
    assert third_decimal["Error"]["Code"] == "ValidationException"
    assert "bonusAmount" in third_decimal["Error"]["Message"]


@pytest.mark.parametrize("call", ["get_hit", "delete_hit", "list_assignments_for_hit"])
def test_an_unknown_hit_does_not_exist(crowd, call):
    response = refused(getattr(crowd, call), HITId="3NONE")

    assert response["Error"]["Code"] == "RequestError"
    assert response["TurkErrorCode"] == "AWS.MechanicalTurk.HITDoesNotExist"


def test_an_unknown_worker_is_not_a_valid_parameter(crowd):
    response = refused(crowd.create_worker_block, WorkerId="ANOBODY0", Reason="r")

    assert response["Error"]["Code"] == "ParameterValidationError"


def test_expiring_makes_a_hit_reviewable_and_it_can_be_deleted(crowd, hit_type):
    hit_id = make_hit(crowd, hit_type)["HITId"]
    assert "Assignable" in refused(crowd.delete_hit, HITId=hit_id)["Message"]

    crowd.update_expiration_for_hit(HITId=hit_id, ExpireAt=datetime(2015, 1, 1, tzinfo=UTC))

    assert crowd.get_hit(HITId=hit_id)["HIT"]["HITStatus"] == "Reviewable"
    crowd.delete_hit(HITId=hit_id)
    assert hit_id not in [row["HITId"] for row in crowd.list_hits(MaxResults=100)["HITs"]]


def test_nine_assignments_cannot_be_made_ten(crowd, hit_type):
    hit_id = make_hit(crowd, hit_type, MaxAssignments=9)["HITId"]

    response = refused(
        crowd.create_additional_assignments_for_hit, HITId=hit_id, NumberOfAdditionalAssignments=1
    )

    assert response["TurkErrorCode"] == "AWS.MechanicalTurk.InvalidMaximumAssignmentsIncrease"


def test_a_qualification_type_lives_its_life(crowd, hire):
    person = hire()
    made = crowd.create_qualification_type(
        Name=f"q {uuid.uuid4().hex}", Description="d", QualificationTypeStatus="Active"
    )["QualificationType"]
    who = {"QualificationTypeId": made["QualificationTypeId"], "WorkerId": person.worker_id}

    crowd.associate_qualification_with_worker(**who, IntegerValue=7, SendNotification=False)
    score = crowd.get_qualification_score(**who)["Qualification"]
    crowd.disassociate_qualification_from_worker(**who)

    assert (score["IntegerValue"], score["Status"]) == (7, "Granted")
    left = crowd.list_workers_with_qualification_type(QualificationTypeId=made["QualificationTypeId"])
    assert left["Qualifications"] == []


def test_a_task_is_taken_submitted_approved_and_paid(crowd, hit, hire):
    person = hire()
    before = crowd.get_account_balance()
    task = person.take(hit["HITTypeId"])
    assert (task["hitId"], task["workerId"]) == (hit["HITId"], person.worker_id)
    assert (task["link"], task["v"]) == ("a", "2")
    assert crowd.get_hit(HITId=hit["HITId"])["HIT"]["HITStatus"] == "Unassignable"

    assert submit(task, choice="left", workerId=person.worker_id).status_code == 200
    assert submit(task, choice="right").status_code == 200

    [assignment] = crowd.list_assignments_for_hit(HITId=hit["HITId"])["Assignments"]
    answers = ElementTree.fromstring(assignment["Answer"].encode()).findall(f"{ANSWERS}Answer")
    read = {
        item.findtext(f"{ANSWERS}QuestionIdentifier"): item.findtext(f"{ANSWERS}FreeText") for item in answers
    }
    assert read == {"choice": "left"}
    counted = crowd.get_hit(HITId=hit["HITId"])["HIT"]
    names = ("Available", "Pending", "Completed")
    assert [counted[f"NumberOfAssignments{name}"] for name in names] == [0, 0, 0]

    crowd.approve_assignment(AssignmentId=assignment["AssignmentId"])
    again = refused(crowd.approve_assignment, AssignmentId=assignment["AssignmentId"])
    assert "called with a status of: Submitted" in again["Message"]
    after = crowd.get_account_balance()
    assert after["AvailableBalance"] == before["AvailableBalance"]
    assert float(before["OnHoldBalance"]) - float(after["OnHoldBalance"]) == pytest.approx(0.60)


def test_a_bonus_is_paid_once_per_token(crowd, hit, hire):
    person = hire()
    task = person.take(hit["HITTypeId"])
    bonus = {
        "WorkerId": person.worker_id,
        "AssignmentId": task["assignmentId"],
        "BonusAmount": "0.25",
        "Reason": "the rest of your pay",
        "UniqueRequestToken": uuid.uuid4().hex,
    }
    assert "does not exist" in refused(crowd.send_bonus, **bonus)["Message"]
    submit(task)

    crowd.send_bonus(**bonus)
    refused(crowd.send_bonus, **bonus)

    paid = crowd.list_bonus_payments(AssignmentId=task["assignmentId"])["BonusPayments"]
    assert [row["BonusAmount"] for row in paid] == ["0.25"]


def test_a_former_holder_cannot_answer_for_the_present_one(crowd, hit, hire):
    first, second = hire(), hire()
    task = first.take(hit["HITTypeId"])
    first.give_back(task)

    passed = second.take(hit["HITTypeId"])

    assert passed["hitId"] == task["hitId"]
    assert submit(task, choice="left", workerId=first.worker_id).status_code == 409
    assert submit(passed, choice="left", workerId=second.worker_id).status_code == 200


def test_a_rejection_can_be_overridden(crowd, hit, hire):
    task = hire().take(hit["HITTypeId"])
    submit(task)
    crowd.reject_assignment(AssignmentId=task["assignmentId"], RequesterFeedback="empty")

    crowd.approve_assignment(AssignmentId=task["assignmentId"], OverrideRejection=True)

    read = crowd.get_assignment(AssignmentId=task["assignmentId"])["Assignment"]
    assert read["AssignmentStatus"] == "Approved"


def test_messages_report_whom_they_did_not_reach(crowd, hire):
    stranger = hire()

    failures = crowd.notify_workers(Subject="s", MessageText="t", WorkerIds=[stranger.worker_id])

    assert [row["WorkerId"] for row in failures["NotifyWorkersFailureStatuses"]] == [stranger.worker_id]


def test_without_a_token_a_repeated_call_acts_twice(crowd, hit_type):
    assert make_hit(crowd, hit_type)["HITId"] != make_hit(crowd, hit_type)["HITId"]
