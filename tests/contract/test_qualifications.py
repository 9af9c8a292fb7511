"""The contract on qualification types, scores, and requests for them."""

import uuid

from tests.contract.endpoint import QUESTION, code, every, refused


def group_asking_for(crowd, qualification, **changes):
    requirement = {"QualificationTypeId": qualification, "Comparator": "Exists"} | changes
    return crowd.create_hit_type(
        Title=f"Only some {uuid.uuid4().hex}",
        Description="d",
        Reward="0.10",
        AssignmentDurationInSeconds=60,
        QualificationRequirements=[requirement],
    )["HITTypeId"]


def test_a_type_is_described_and_changed(crowd, qualification):
    crowd.update_qualification_type(
        QualificationTypeId=qualification, Description="other", QualificationTypeStatus="Inactive"
    )

    read = crowd.get_qualification_type(QualificationTypeId=qualification)["QualificationType"]

    assert (read["Description"], read["QualificationTypeStatus"]) == ("other", "Inactive")


def test_names_are_unique(crowd, qualification):
    name = crowd.get_qualification_type(QualificationTypeId=qualification)["QualificationType"]["Name"]

    response = refused(
        crowd.create_qualification_type, Name=name, Description="d", QualificationTypeStatus="Active"
    )

    assert code(response) == "qualificationtypealreadyexists"


def test_own_types_are_found_by_their_words(crowd, qualification):
    name = crowd.get_qualification_type(QualificationTypeId=qualification)["QualificationType"]["Name"]

    found = every(
        crowd,
        "list_qualification_types",
        "QualificationTypes",
        Query=name.split()[1],
        MustBeRequestable=False,
        MustBeOwnedByCaller=True,
    )

    assert [row["QualificationTypeId"] for row in found] == [qualification]


def test_hits_are_found_by_the_qualifications_they_require(crowd, qualification):
    kind = group_asking_for(crowd, qualification)
    hit_id = crowd.create_hit_with_hit_type(HITTypeId=kind, Question=QUESTION, LifetimeInSeconds=60)["HIT"][
        "HITId"
    ]

    found = every(crowd, "list_hits_for_qualification_type", "HITs", QualificationTypeId=qualification)

    assert [row["HITId"] for row in found] == [hit_id]


def test_a_deleted_type_is_gone(crowd):
    made = crowd.create_qualification_type(
        Name=f"gone {uuid.uuid4().hex}", Description="d", QualificationTypeStatus="Active"
    )["QualificationType"]["QualificationTypeId"]

    crowd.delete_qualification_type(QualificationTypeId=made)

    response = refused(crowd.update_qualification_type, QualificationTypeId=made, Description="x")
    assert response["Error"]["Code"] == "RequestError"


def test_a_request_is_rejected_repeated_and_accepted(crowd, qualification, hire):
    person = hire()

    def pending():
        return every(
            crowd, "list_qualification_requests", "QualificationRequests", QualificationTypeId=qualification
        )

    person.ask_for(qualification)
    [first] = pending()
    assert first["WorkerId"] == person.worker_id
    crowd.reject_qualification_request(
        QualificationRequestId=first["QualificationRequestId"], Reason="not yet"
    )
    assert pending() == []

    person.ask_for(qualification)
    [second] = pending()
    crowd.accept_qualification_request(
        QualificationRequestId=second["QualificationRequestId"], IntegerValue=42
    )

    who = {"QualificationTypeId": qualification, "WorkerId": person.worker_id}
    assert crowd.get_qualification_score(**who)["Qualification"]["IntegerValue"] == 42
    again = refused(
        crowd.accept_qualification_request, QualificationRequestId=second["QualificationRequestId"]
    )
    assert again["Error"]["Code"] == "RequestError"


def test_a_soft_block_hides_the_group_from_those_who_have_it(crowd, qualification, hire):
    kind = group_asking_for(
        crowd, qualification, Comparator="DoesNotExist", ActionsGuarded="DiscoverPreviewAndAccept"
    )
    crowd.create_hit_with_hit_type(HITTypeId=kind, Question=QUESTION, LifetimeInSeconds=60)
    kept, shut_out = hire(), hire()

    crowd.associate_qualification_with_worker(
        QualificationTypeId=qualification, WorkerId=shut_out.worker_id, SendNotification=False
    )

    assert shut_out.http.get(f"/groups/{kind}/").status_code == 403
    assert kind not in shut_out.http.get("/").text
    assert kind in kept.http.get("/").text
