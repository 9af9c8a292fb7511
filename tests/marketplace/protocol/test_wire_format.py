"""The wire format."""

import json
from datetime import UTC, datetime

import pytest

from marketplace import errors
from marketplace.protocol import wire_format as protocol

AT = datetime(2026, 3, 1, tzinfo=UTC)


def test_the_target_names_the_operation():
    assert protocol.operation_name("MTurkRequesterServiceV20170117.GetHIT") == "GetHIT"


@pytest.mark.parametrize("target", ["", "GetHIT", "Other.GetHIT", "MTurkRequesterServiceV20170117.", "a.b.c"])
def test_another_target_is_unknown(target):
    with pytest.raises(errors.UnknownOperationException):
        protocol.operation_name(target)


@pytest.mark.parametrize("body", [b"[]", b"{", b"\xff", b'"x"', b"[" * 100_000])
def test_a_body_that_is_no_object_cannot_be_read(body):
    with pytest.raises(errors.SerializationException):
        protocol.read_body(body)


def test_an_empty_body_is_an_empty_request():
    assert protocol.read_body(b"") == {}


def test_times_leave_as_seconds():
    assert json.loads(protocol.write_body({"At": AT})) == {"At": AT.timestamp()}


def test_a_request_error_ends_in_milliseconds_and_has_a_turk_code():
    body = protocol.write_error(errors.RequestError("HITDoesNotExist", "Hit 3X does not exist."), AT)

    assert json.loads(body) == {
        "__type": "RequestError",
        "Message": f"Hit 3X does not exist. ({int(AT.timestamp() * 1000)})",
        "TurkErrorCode": "AWS.MechanicalTurk.HITDoesNotExist",
    }


def test_other_errors_have_their_class_name_as_code():
    body = json.loads(protocol.write_error(errors.ThrottlingException(), AT))

    assert body == {"__type": "ThrottlingException", "Message": "Rate exceeded"}
