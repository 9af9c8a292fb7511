"""Qualification types and scores."""

import pytest

from marketplace.errors import ParameterValidationError, TaskRefused
from marketplace.protocol import requirements as qualifying
from marketplace.services.worker import tasks as taking
from tests.marketplace.conftest import NOW, make_hit, make_type, refused

pytestmark = pytest.mark.django_db


def make_qualification(ask, name="done enough", **changes):
    values = {"Name": name, "Description": "has done enough", "QualificationTypeStatus": "Active"}
    answer = ask("CreateQualificationType", **values | changes)
    return answer["QualificationType"]["QualificationTypeId"]


def grant(ask, type_id, worker, value=1):
    ask(
        "AssociateQualificationWithWorker",
        QualificationTypeId=type_id,
        WorkerId=worker.worker_id,
        IntegerValue=value,
        SendNotification=False,
    )


def test_a_name_is_used_once_per_requester(ask):
    make_qualification(ask)

    with refused("QualificationTypeAlreadyExists"):
        make_qualification(ask)


def test_a_type_is_read_back(ask):
    type_id = make_qualification(ask)

    found = ask("GetQualificationType", QualificationTypeId=type_id)["QualificationType"]

    assert (found["Name"], found["QualificationTypeStatus"]) == ("done enough", "Active")
    with refused("QualificationTypeDoesNotExist"):
        ask("GetQualificationType", QualificationTypeId="3NONE")


def test_system_types_can_be_read_too(ask):
    found = ask("GetQualificationType", QualificationTypeId=qualifying.LOCALE)["QualificationType"]

    assert found["Name"] == "country"


def test_types_are_found_by_their_words(ask):
    make_qualification(ask)
    wanted = make_qualification(ask, "speaks French")

    found = ask("ListQualificationTypes", Query="french", MustBeRequestable=False, MustBeOwnedByCaller=True)

    assert [row["QualificationTypeId"] for row in found["QualificationTypes"]] == [wanted]


def test_tests_are_refused_as_unsupported(ask):
    with pytest.raises(ParameterValidationError, match="does not support"):
        make_qualification(ask, Test="<QuestionForm/>")


def test_a_repeated_grant_overwrites_the_score(ask, ada):
    type_id = make_qualification(ask)
    grant(ask, type_id, ada, 3)
    grant(ask, type_id, ada, 7)

    who = {"QualificationTypeId": type_id, "WorkerId": ada.worker_id}
    assert ask("GetQualificationScore", **who)["Qualification"]["IntegerValue"] == 7


def test_a_revoked_score_is_listed_as_revoked(ask, ada, grace):
    type_id = make_qualification(ask)
    grant(ask, type_id, ada)
    grant(ask, type_id, grace)
    who = {"QualificationTypeId": type_id, "WorkerId": ada.worker_id}
    ask("DisassociateQualificationFromWorker", **who)

    listed = {
        status: [
            row["WorkerId"]
            for row in ask("ListWorkersWithQualificationType", QualificationTypeId=type_id, Status=status)[
                "Qualifications"
            ]
        ]
        for status in ("Granted", "Revoked")
    }

    assert listed == {"Granted": [grace.worker_id], "Revoked": [ada.worker_id]}
    with refused("QualificationDoesNotExist"):
        ask("DisassociateQualificationFromWorker", **who)


def test_a_worker_who_was_never_granted_has_no_score(ask, ada):
    with refused("QualificationDoesNotExist"):
        ask("GetQualificationScore", QualificationTypeId=make_qualification(ask), WorkerId=ada.worker_id)


def test_a_grant_notifies_the_worker_unless_told_not_to(ask, ada):
    type_id = make_qualification(ask)
    grant(ask, type_id, ada)
    assert ada.messages.count() == 0

    ask("AssociateQualificationWithWorker", QualificationTypeId=type_id, WorkerId=ada.worker_id)

    assert ada.messages.get().subject == "You have been granted the qualification done enough"


def test_does_not_exist_excludes_workers_with_the_qualification(ask, ada, grace):
    type_id = make_qualification(ask)
    requirement = {"QualificationTypeId": type_id, "Comparator": "DoesNotExist"}
    hit_type = make_type(ask, QualificationRequirements=[requirement])
    make_hit(ask, hit_type)
    grant(ask, type_id, ada)

    with pytest.raises(TaskRefused) as refusal:
        taking.take_task(ada, hit_type, NOW)

    assert refusal.value.reason == "not_qualified"
    assert taking.take_task(grace, hit_type, NOW).worker == grace
