"""The contract on HITs that are retyped, extended, reviewed and disposed of."""

import uuid
from datetime import UTC, datetime, timedelta

from tests.contract.endpoint import QUESTION, code, every, make_hit, refused, submit

PAST = datetime(2015, 1, 1, tzinfo=UTC)


def status(crowd, hit_id):
    return crowd.get_hit(HITId=hit_id)["HIT"]["HITStatus"]


def test_create_hit_makes_its_type_or_takes_the_one_there_is(crowd):
    values = {
        "Title": f"T {uuid.uuid4().hex}",
        "Description": "d",
        "Reward": "0.10",
        "AssignmentDurationInSeconds": 60,
        "AutoApprovalDelayInSeconds": 3600,
    }
    type_id = crowd.create_hit_type(**values)["HITTypeId"]

    made = crowd.create_hit(**values, Question=QUESTION, LifetimeInSeconds=60)["HIT"]

    assert made["HITTypeId"] == type_id
    assert made["HITGroupId"]
    crowd.update_expiration_for_hit(HITId=made["HITId"], ExpireAt=PAST)


def test_an_expired_hit_is_reviewable_is_marked_and_unmarked(crowd, hit_type):
    hit_id = make_hit(crowd, hit_type)["HITId"]
    assert code(refused(crowd.update_hit_review_status, HITId=hit_id)) == "invalidhitstate"
    crowd.update_expiration_for_hit(HITId=hit_id, ExpireAt=PAST)

    def reviewable(**more):
        return [
            row["HITId"] for row in every(crowd, "list_reviewable_hits", "HITs", HITTypeId=hit_type, **more)
        ]

    assert reviewable() == [hit_id]
    crowd.update_hit_review_status(HITId=hit_id)
    assert status(crowd, hit_id) == "Reviewing"
    assert (reviewable(), reviewable(Status="Reviewing")) == ([], [hit_id])
    crowd.update_hit_review_status(HITId=hit_id, Revert=True)
    assert status(crowd, hit_id) == "Reviewable"


def test_a_later_expiry_opens_a_hit_again(crowd, hit):
    crowd.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=PAST)

    crowd.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=datetime.now(UTC) + timedelta(hours=2))

    assert status(crowd, hit["HITId"]) == "Assignable"


def test_places_are_added_once_per_token(crowd, hit):
    more = {
        "HITId": hit["HITId"],
        "NumberOfAdditionalAssignments": 2,
        "UniqueRequestToken": uuid.uuid4().hex,
    }
    crowd.create_additional_assignments_for_hit(**more)
    refused(crowd.create_additional_assignments_for_hit, **more)

    assert crowd.get_hit(HITId=hit["HITId"])["HIT"]["MaxAssignments"] == 3


def test_an_untouched_hit_takes_another_type(crowd, hit):
    other = crowd.create_hit_type(
        Title=f"Dearer {uuid.uuid4().hex}", Description="d", Reward="0.75", AssignmentDurationInSeconds=60
    )["HITTypeId"]

    crowd.update_hit_type_of_hit(HITId=hit["HITId"], HITTypeId=other)

    read = crowd.get_hit(HITId=hit["HITId"])["HIT"]
    assert (read["HITTypeId"], read["Reward"]) == (other, "0.75")


def test_a_taken_hit_keeps_its_type(crowd, hit, hire):
    other = crowd.create_hit_type(
        Title=f"Other {uuid.uuid4().hex}", Description="d", Reward="0.75", AssignmentDurationInSeconds=60
    )["HITTypeId"]
    hire().take(hit["HITTypeId"])

    response = refused(crowd.update_hit_type_of_hit, HITId=hit["HITId"], HITTypeId=other)

    assert response["Error"]["Code"] == "RequestError"


def test_without_review_policies_there_are_no_results(crowd, hit):
    results = crowd.list_review_policy_results_for_hit(HITId=hit["HITId"])

    assert results["HITId"] == hit["HITId"]
    assert not results.get("HITReviewReport", {}).get("ReviewResults")


def test_an_answer_without_files_has_no_upload_address(crowd, hit, hire):
    task = hire().take(hit["HITTypeId"])
    submit(task)

    response = refused(
        crowd.get_file_upload_url, AssignmentId=task["assignmentId"], QuestionIdentifier="choice"
    )

    assert response["Error"]["Code"] in ("RequestError", "ParameterValidationError")


def test_answers_are_listed_by_status_and_read_one_by_one(crowd, hit_type, hire):
    hit_id = make_hit(crowd, hit_type, MaxAssignments=2)["HITId"]
    tasks = [hire().take(hit_type) for _ in range(2)]
    for task in tasks:
        submit(task)
    crowd.reject_assignment(AssignmentId=tasks[0]["assignmentId"], RequesterFeedback="empty")

    def listed(*statuses):
        rows = every(
            crowd, "list_assignments_for_hit", "Assignments", HITId=hit_id, AssignmentStatuses=list(statuses)
        )
        return {row["AssignmentId"] for row in rows}

    assert listed("Submitted") == {tasks[1]["assignmentId"]}
    assert listed("Rejected") == {tasks[0]["assignmentId"]}
    assert listed("Submitted", "Rejected") == {task["assignmentId"] for task in tasks}
    read = crowd.get_assignment(AssignmentId=tasks[0]["assignmentId"])
    assert (read["Assignment"]["RequesterFeedback"], read["HIT"]["HITId"]) == ("empty", hit_id)
    # The HIT is over only once every submission has been reviewed.
    assert "Reviewable" in refused(crowd.delete_hit, HITId=hit_id)["Message"]
    crowd.approve_assignment(AssignmentId=tasks[1]["assignmentId"], RequesterFeedback="thanks")
    crowd.delete_hit(HITId=hit_id)
    assert code(refused(crowd.get_hit, HITId=hit_id)) == "hitdoesnotexist"


def test_bonuses_are_listed_by_hit(crowd, hit, hire):
    person = hire()
    task = person.take(hit["HITTypeId"])
    submit(task)
    crowd.send_bonus(
        WorkerId=person.worker_id, AssignmentId=task["assignmentId"], BonusAmount="0.05", Reason="r"
    )

    [paid] = crowd.list_bonus_payments(HITId=hit["HITId"])["BonusPayments"]

    assert (paid["WorkerId"], paid["BonusAmount"], paid["Reason"]) == (person.worker_id, "0.05", "r")


def test_reviewed_workers_are_reached_and_blocks_come_and_go(crowd, hit, hire):
    person = hire()
    task = person.take(hit["HITTypeId"])
    submit(task)
    crowd.approve_assignment(AssignmentId=task["assignmentId"])

    sent = crowd.notify_workers(Subject="s", MessageText="t", WorkerIds=[person.worker_id])
    assert sent["NotifyWorkersFailureStatuses"] == []

    def blocked():
        return [row["WorkerId"] for row in every(crowd, "list_worker_blocks", "WorkerBlocks")]

    crowd.create_worker_block(WorkerId=person.worker_id, Reason="r")
    assert person.worker_id in blocked()
    crowd.delete_worker_block(WorkerId=person.worker_id, Reason="r")
    crowd.delete_worker_block(WorkerId=person.worker_id)
    assert person.worker_id not in blocked()
