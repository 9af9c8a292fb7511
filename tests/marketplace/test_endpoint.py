"""``POST /``: signatures, errors and throttling, as a client sees them."""

import json

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from django.db import OperationalError

from marketplace.errors import UnknownOperationException
from marketplace.models import RequesterKey
from marketplace.services import hit_state
from marketplace.views import endpoint

pytestmark = pytest.mark.django_db


@pytest.fixture
def call(client, key):
    """Return a function that posts a signed call and returns status and document."""

    def call(name, body="{}", *, prefix="MTurkRequesterServiceV20170117", secret=key.secret_key, headers=()):
        request = AWSRequest(
            "POST",
            "http://testserver/",
            data=body,
            headers={
                "Host": "testserver",
                "Content-Type": "application/x-amz-json-1.1",
                "X-Amz-Target": f"{prefix}.{name}",
            },
        )
        SigV4Auth(Credentials(key.access_key, secret), "mturk-requester", "us-east-1").add_auth(request)
        sent = dict(request.headers.items()) | dict(headers)
        response = client.post("/", data=body, content_type=sent.pop("Content-Type"), headers=sent)
        assert response["Content-Type"] == "application/x-amz-json-1.1"
        assert response["x-amzn-RequestId"]
        return response.status_code, json.loads(response.content)

    return call


def test_a_signed_call_is_answered(call):
    assert call("GetAccountBalance") == (200, {"AvailableBalance": "1000.00", "OnHoldBalance": "0.00"})


@pytest.mark.parametrize(
    ("name", "body", "status", "code"),
    [
        ("GrantBonus", "{}", 400, "UnknownOperationException"),
        ("GetHIT", "{", 400, "SerializationException"),
        ("GetHIT", "{}", 400, "ValidationException"),
        ("GetHIT", '{"HITId": "3NONE"}', 400, "RequestError"),
        ("GetQualificationType", '{"QualificationTypeId": "A\\ud800"}', 400, "SerializationException"),
        ("GetHIT", b'{"HITId": "\xed\xa0\x80"}', 400, "SerializationException"),
        (
            "ListQualificationTypes",
            '{"MustBeRequestable": true, "Query": "a\\u0000"}',
            400,
            "ValidationException",
        ),
        ("ListHITs", '{"NextToken": "a\\u0000"}', 400, "ValidationException"),
        (
            "NotifyWorkers",
            '{"Subject": "a\\u0001", "MessageText": "b", "WorkerIds": ["A1"]}',
            400,
            "ParameterValidationError",
        ),
        ("GetHIT", '{"HITId": "%s"}' % ("A" * 2**21), 400, "SerializationException"),
        ("CreateWorkerBlock", '{"WorkerId": "AX", "Reason": "r"}', 400, "ParameterValidationError"),
    ],
)
def test_every_refusal_has_the_protocols_shape(call, name, body, status, code):
    answered, document = call(name, body)

    assert (answered, document["__type"]) == (status, code)
    assert document["Message"]


def test_a_refusals_headers_are_sent(client, monkeypatch):
    def refuse(*_):
        refusal = UnknownOperationException("No such operation.")
        refusal.headers["X-Returned-At"] = "2026-05-03T08:00:00+00:00"
        raise refusal

    monkeypatch.setattr(endpoint, "_run_operation", refuse)

    response = client.post("/", data="{}", content_type="application/x-amz-json-1.1")

    assert response["X-Returned-At"] == "2026-05-03T08:00:00+00:00"
    assert response["x-amzn-RequestId"]


def test_a_wrong_secret_is_refused(call):
    assert call("GetAccountBalance", secret="wrong")[1]["__type"] == "InvalidSignatureException"


def test_another_service_prefix_is_unknown(call):
    assert call("GetHIT", prefix="MTurk")[1]["__type"] == "UnknownOperationException"


def test_an_unknown_or_withdrawn_key_is_refused(call):
    RequesterKey.objects.update(active=False)

    assert call("GetAccountBalance")[1]["__type"] == "UnrecognizedClientException"


def test_session_credentials_are_not_ours(call):
    document = call("GetAccountBalance", headers=[("X-Amz-Security-Token", "t")])[1]

    assert document["__type"] == "UnrecognizedClientException"


def test_an_unsigned_call_is_refused(client, db):
    response = client.post("/", data="{}", content_type="application/x-amz-json-1.1")

    assert json.loads(response.content)["__type"] == "MissingAuthenticationTokenException"


def test_calls_beyond_the_rate_are_throttled(call, settings):
    settings.THROTTLE_PER_SECOND = 1 / 86400

    first, second = call("GetAccountBalance", "{}"), call("GetAccountBalance", "{}")

    assert first[0] == 200
    assert (second[0], second[1]["__type"]) == (400, "ThrottlingException")


def test_a_lost_race_is_tried_again(call, monkeypatch):
    tries = []

    def unlucky(name):
        def operation(_call):
            tries.append(name)
            if len(tries) < 3:
                raise hit_state.LostRace
            return {}

        return operation

    monkeypatch.setattr(endpoint.operations, "operation_named", unlucky)

    assert call("DeleteHIT", '{"HITId": "3X"}') == (200, {})
    assert len(tries) == 3


@pytest.mark.parametrize(
    ("error", "status"), [(RuntimeError("a mistake"), 500), (OperationalError("busy"), 503)]
)
def test_our_own_failures_ask_to_try_again(call, monkeypatch, error, status):
    def broken(_call):
        raise error

    monkeypatch.setattr(endpoint.operations, "operation_named", lambda name: broken)

    answered, document = call("GetAccountBalance")

    assert (answered, document["__type"]) == (status, "ServiceFault")
    assert "mistake" not in document["Message"]


def test_only_get_and_post_are_for_this_address(client, db):
    assert client.put("/").status_code == 405


def test_every_offered_operation_is_in_the_model():
    from marketplace.protocol import shapes
    from marketplace.services.requester import operations

    assert set(operations.OPERATIONS) <= set(shapes.service().operation_names)
