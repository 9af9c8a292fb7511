"""Qualification types: changed, searched by the HITs that require them, deleted."""

from datetime import timedelta

import pytest

from marketplace.protocol import requirements as qualifying
from tests.marketplace.conftest import NOW, QUESTION, asker, hours, make_hit, make_type, refused
from tests.marketplace.requester.test_qualification_requests import make_kind

pytestmark = pytest.mark.django_db
SYSTEM = {"QualificationTypeId": qualifying.APPROVED_COUNT, "Comparator": "GreaterThan", "IntegerValues": [3]}


@pytest.fixture
def kind(ask):
    return make_kind(ask)


def requirement_of(kind):
    return {"QualificationTypeId": kind, "Comparator": "Exists"}


def get_type(ask, kind):
    return ask("GetQualificationType", QualificationTypeId=kind)["QualificationType"]


def hits_of(ask, kind):
    return {row["HITId"] for row in ask("ListHITsForQualificationType", QualificationTypeId=kind)["HITs"]}


def test_everything_but_name_and_keywords_can_be_changed(ask, kind):
    ask(
        "UpdateQualificationType",
        QualificationTypeId=kind,
        Description="new",
        AutoGranted=True,
        RetryDelayInSeconds=60,
    )

    changed = get_type(ask, kind)
    assert (changed["Name"], changed["Description"]) == ("Reads German", "new")
    assert (changed["AutoGranted"], changed["AutoGrantedValue"]) == (True, 1)
    assert changed["RetryDelayInSeconds"] == 60


def test_an_update_without_members_changes_nothing(ask, kind):
    before = get_type(ask, kind)

    assert ask("UpdateQualificationType", QualificationTypeId=kind)["QualificationType"] == before


def test_a_value_without_automatic_granting_is_refused(ask, kind):
    with refused("InvalidParameterValue"):
        ask("UpdateQualificationType", QualificationTypeId=kind, AutoGrantedValue=3)


@pytest.mark.parametrize("operation", ["CreateQualificationType", "UpdateQualificationType"])
def test_tests_are_refused_not_dropped(ask, kind, operation):
    request = {"QualificationTypeId": kind, "Test": "<QuestionForm/>"}
    if operation.startswith("Create"):
        request = {"Name": "n", "Description": "d", "QualificationTypeStatus": "Active", "Test": "x"}

    with refused("InvalidParameterValue"):
        ask(operation, **request)


def test_an_inactive_type_cannot_be_required_by_new_hits(ask, kind):
    ask("UpdateQualificationType", QualificationTypeId=kind, QualificationTypeStatus="Inactive")

    with refused("InvalidQualificationTypeState"):
        make_type(ask, QualificationRequirements=[requirement_of(kind)])


def test_hits_are_found_by_the_qualifications_they_require(ask, kind, hit_type):
    wanted = make_hit(
        ask, make_type(ask, Title="t", QualificationRequirements=[requirement_of(kind), SYSTEM])
    )
    make_hit(ask, hit_type)

    assert hits_of(ask, kind) == {wanted}
    assert hits_of(ask, qualifying.APPROVED_COUNT) == {wanted}
    assert hits_of(ask, qualifying.LOCALE) == set()


def test_deleted_hits_and_others_hits_are_not_found(ask, kind):
    from marketplace.services.account import accounts

    other = asker(accounts.create_requester("other", opening_cents=10_000, now=NOW).requester)
    gone = make_hit(ask, make_type(ask, QualificationRequirements=[SYSTEM]))
    theirs = make_hit(other, make_type(other, QualificationRequirements=[SYSTEM]))
    ask("UpdateExpirationForHIT", HITId=gone, ExpireAt=NOW - hours(1))
    ask("DeleteHIT", HITId=gone)

    assert hits_of(ask, qualifying.APPROVED_COUNT) == set()
    assert hits_of(other, qualifying.APPROVED_COUNT) == {theirs}
    with refused("QualificationTypeDoesNotExist"):
        hits_of(other, kind)


def test_deleting_a_type_takes_the_hit_types_that_ask_for_it_along(ask, kind, ada):
    type_id = make_type(ask, QualificationRequirements=[requirement_of(kind)])
    hit = make_hit(ask, type_id)
    ask("AssociateQualificationWithWorker", QualificationTypeId=kind, WorkerId=ada.worker_id)

    ask("DeleteQualificationType", QualificationTypeId=kind)

    with refused("QualificationTypeDoesNotExist"):
        get_type(ask, kind)
    with refused("HITTypeDoesNotExist"):
        ask("CreateHITWithHITType", HITTypeId=type_id, Question=QUESTION, LifetimeInSeconds=60)
    with refused("QualificationTypeDoesNotExist"):
        make_type(ask, QualificationRequirements=[requirement_of(kind)])
    assert ask("ListQualificationTypes", MustBeRequestable=False)["NumResults"] == 0
    # Existing HITs continue: workers with the qualification can take this one.
    from marketplace.services.worker import tasks as taking

    assert taking.take_task(ada, type_id, NOW).hit.hit_id == hit
    assert hits_of(ask, kind) == {hit}


def test_a_name_is_free_again_when_nothing_asks_for_it_or_after_two_days(ask, kind):
    hit = make_hit(
        ask, make_type(ask, QualificationRequirements=[requirement_of(kind)]), LifetimeInSeconds=86400
    )
    ask("DeleteQualificationType", QualificationTypeId=kind)
    with refused("QualificationTypeAlreadyExists"):
        make_kind(ask)

    assert make_kind(ask, at=NOW + timedelta(hours=49)) != kind
    ask("DeleteHIT", HITId=hit, at=NOW + timedelta(hours=49))
    ask("DeleteQualificationType", QualificationTypeId=own_type_id(ask), at=NOW + timedelta(hours=49))
    assert make_kind(ask, at=NOW + timedelta(hours=50)) != kind


def own_type_id(ask):
    listed = ask("ListQualificationTypes", MustBeRequestable=True, MustBeOwnedByCaller=True)
    return listed["QualificationTypes"][0]["QualificationTypeId"]
