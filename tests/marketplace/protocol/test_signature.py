"""Signature Version 4: signed by botocore, checked by us."""

from datetime import UTC, datetime, timedelta

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from marketplace import errors
from marketplace.protocol import signature

SECRET = "very secret"


def sign_request(*, body=b"{}", region="us-east-1", service="mturk-requester"):
    headers = {
        "Host": "m.example:8411",
        "X-Amz-Target": "T.GetHIT",
        "Content-Type": "application/x-amz-json-1.1",
    }
    request = AWSRequest("POST", "http://m.example:8411/", data=body, headers=headers)
    SigV4Auth(Credentials("AKEY", SECRET), service, region).add_auth(request)
    return {name.lower(): value for name, value in request.headers.items()}


def check_headers(headers, *, secret=SECRET, body=b"{}"):
    credential = signature.read_credential(headers)
    signature.check_signature(credential, secret, method="POST", path="/", headers=headers, body=body)


def test_botocores_signature_is_accepted_for_its_own_body_only():
    headers = sign_request(body=b'{"a":1}')

    check_headers(headers, body=b'{"a":1}')  # raises if refused
    with pytest.raises(errors.InvalidSignatureException):
        check_headers(headers)


def test_a_signature_in_other_letters_is_refused():
    headers = sign_request()
    headers["authorization"] = headers["authorization"].rpartition("=")[0] + "=ä"

    with pytest.raises(errors.InvalidSignatureException):
        check_headers(headers)


@pytest.mark.parametrize("change", ["secret", "body", "target"])
def test_a_changed_request_is_refused(change):
    headers = sign_request()
    if change == "target":
        headers["x-amz-target"] = "T.DeleteHIT"

    with pytest.raises(errors.InvalidSignatureException):
        check_headers(
            headers,
            secret="other" if change == "secret" else SECRET,
            body=b'{"a":1}' if change == "body" else b"{}",
        )


@pytest.mark.parametrize(
    ("region", "service", "minutes", "message"),
    [
        ("sandbox", "mturk-requester", 0, "valid region"),
        ("us-east-1", "s3", 0, "correct service"),
        ("us-east-1", "mturk-requester", 16, "expired"),
        ("us-east-1", "mturk-requester", -16, "not yet current"),
    ],
)
def test_another_scope_or_time_is_refused(region, service, minutes, message):
    credential = signature.read_credential(sign_request(region=region, service=service))

    with pytest.raises(errors.InvalidSignatureException, match=message):
        signature.check_scope(
            credential,
            region="us-east-1",
            service="mturk-requester",
            now=datetime.now(UTC) + timedelta(minutes=minutes),
        )


def test_fourteen_minutes_are_forgiven():
    credential = signature.read_credential(sign_request())

    for minutes in (14, -14):
        now = datetime.now(UTC) + timedelta(minutes=minutes)
        signature.check_scope(credential, region="us-east-1", service="mturk-requester", now=now)


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"authorization": ""}, errors.MissingAuthenticationTokenException),
        ({"authorization": "Basic YTpi"}, errors.IncompleteSignatureException),
        ({"authorization": "AWS4-HMAC-SHA256 Credential=a/b"}, errors.IncompleteSignatureException),
        ({"x-amz-date": "yesterday"}, errors.IncompleteSignatureException),
        (
            {
                "authorization": "AWS4-HMAC-SHA256 Credential=a/20260101/r/s/aws4_request, "
                "SignedHeaders=host, Signature=0"
            },
            errors.InvalidSignatureException,
        ),
    ],
)
def test_headers_that_cannot_be_read_are_refused(changes, error):
    with pytest.raises(error):
        signature.read_credential(sign_request() | changes)
