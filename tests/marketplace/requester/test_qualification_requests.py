"""Workers request qualifications, and requesters decide."""

from datetime import timedelta

import pytest

from marketplace.errors import QualificationRefused
from marketplace.models import QualificationRequest
from marketplace.services.requester import qualification_requests
from tests.marketplace.conftest import NOW, asker, hours, refused

pytestmark = pytest.mark.django_db


def make_kind(ask, **changes):
    values = {"Name": "Reads German", "Description": "d", "QualificationTypeStatus": "Active"}
    return ask("CreateQualificationType", **values | changes)["QualificationType"]["QualificationTypeId"]


@pytest.fixture
def kind(ask):
    return make_kind(ask)


def score(ask, kind, worker):
    return ask("GetQualificationScore", QualificationTypeId=kind, WorkerId=worker.worker_id)["Qualification"]


def test_a_request_is_listed_accepted_and_told(ask, kind, ada):
    qualification_requests.request_qualification(ada, kind, NOW)
    [asked] = ask("ListQualificationRequests")["QualificationRequests"]
    assert (asked["WorkerId"], asked["QualificationTypeId"]) == (ada.worker_id, kind)

    ask(
        "AcceptQualificationRequest",
        QualificationRequestId=asked["QualificationRequestId"],
        IntegerValue=80,
    )

    assert score(ask, kind, ada)["IntegerValue"] == 80
    assert ask("ListQualificationRequests", QualificationTypeId=kind)["NumResults"] == 0
    assert "granted" in ada.messages.get().subject


def test_a_decided_request_is_not_decided_again(ask, kind, ada):
    row = qualification_requests.request_qualification(ada, kind, NOW)
    ask("RejectQualificationRequest", QualificationRequestId=row.request_id, Reason="no German yet")

    with refused("InvalidQualificationRequestState"):
        ask("AcceptQualificationRequest", QualificationRequestId=row.request_id)

    assert ada.messages.get().text == "no German yet"
    with refused("QualificationDoesNotExist"):
        score(ask, kind, ada)


def test_another_requesters_requests_are_not_seen(kind, ada):
    from marketplace.services.account import accounts

    row = qualification_requests.request_qualification(ada, kind, NOW)
    other = asker(accounts.create_requester("other", opening_cents=0, now=NOW).requester)

    assert other("ListQualificationRequests")["NumResults"] == 0
    with refused("QualificationRequestDoesNotExist"):
        other("AcceptQualificationRequest", QualificationRequestId=row.request_id)
    with refused("QualificationTypeDoesNotExist"):
        other("ListQualificationRequests", QualificationTypeId=kind)


def test_an_automatic_qualification_is_granted_at_once(ask, ada):
    kind = make_kind(ask, AutoGranted=True, AutoGrantedValue=5)

    row = qualification_requests.request_qualification(ada, kind, NOW)

    assert row.state == QualificationRequest.State.ACCEPTED
    assert score(ask, kind, ada)["IntegerValue"] == 5


def refusal(worker, kind, at=NOW):
    with pytest.raises(QualificationRefused) as info:
        qualification_requests.request_qualification(worker, kind, at)
    return info.value.reason


def test_a_refused_request_has_a_reason(ask, kind, ada, grace):
    assert refusal(ada, "3NONE") == "unknown"
    row = qualification_requests.request_qualification(ada, kind, NOW)
    assert refusal(ada, kind) == "waiting"
    ask("RejectQualificationRequest", QualificationRequestId=row.request_id)
    assert refusal(ada, kind) == "once_only"

    ask("UpdateQualificationType", QualificationTypeId=kind, RetryDelayInSeconds=7200)
    assert refusal(ada, kind, NOW + hours(1)) == "too_soon"
    again = qualification_requests.request_qualification(ada, kind, NOW + hours(2))
    ask("AcceptQualificationRequest", QualificationRequestId=again.request_id, at=NOW + hours(2))
    assert refusal(ada, kind, NOW + hours(9)) == "held"

    ask("CreateWorkerBlock", WorkerId=grace.worker_id, Reason="r")
    assert refusal(grace, kind) == "blocked"
    ask("UpdateQualificationType", QualificationTypeId=kind, QualificationTypeStatus="Inactive")
    assert refusal(ada, kind) == "unknown"


def test_deleting_a_type_rejects_pending_requests(ask, kind, ada):
    row = qualification_requests.request_qualification(ada, kind, NOW)

    ask("DeleteQualificationType", QualificationTypeId=kind, at=NOW + timedelta(minutes=1))

    row.refresh_from_db()
    assert row.state == QualificationRequest.State.REJECTED
    assert ask("ListQualificationRequests")["NumResults"] == 0
