"""The wire format of calls, responses and errors.

The format is botocore's JSON 1.1 (service model ``mturk`` 2017-01-17). A call is POST / with the operation in the
header ``X-Amz-Target`` and one JSON object as body. Times are seconds since 1970.
"""

import json
import re
from datetime import datetime
from typing import Any

from marketplace.errors import (
    ProtocolError,
    RequestError,
    SerializationException,
    UnknownOperationException,
)

TARGET_PREFIX = "MTurkRequesterServiceV20170117"
CONTENT_TYPE = "application/x-amz-json-1.1"
SIGNING_NAME = "mturk-requester"
REGION = "us-east-1"
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def operation_name(target: str) -> str:
    """Return the operation in an ``X-Amz-Target`` header; raises UnknownOperationException."""
    service, dot, name = target.partition(".")
    if service != TARGET_PREFIX or not dot or not name.isalnum():
        raise UnknownOperationException(f"The target {target!r} does not name an operation of this service.")
    return name


def read_body(body: bytes) -> dict[str, Any]:
    """Return a request's JSON object, or an empty one for an empty body; raises SerializationException.

    Unpaired surrogates are refused. They are valid JSON but not valid text, so they could be neither looked up nor
    sent back.
    """
    if not body.strip():
        return {}
    try:
        document = json.loads(body.decode())
        if _SURROGATE.search(body):
            json.dumps(document, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise SerializationException("The request body is not valid JSON.") from None
    if not isinstance(document, dict):
        raise SerializationException("The request body must be a JSON object.")
    return document


def _datetime_as_seconds(value: object) -> object:
    if isinstance(value, datetime):
        return round(value.timestamp(), 3)
    raise TypeError(f"{type(value).__name__} cannot be sent as JSON")


def write_body(document: dict[str, Any]) -> bytes:
    """Return a response as JSON; datetimes become seconds since 1970, to the millisecond."""
    return json.dumps(
        document, default=_datetime_as_seconds, ensure_ascii=False, separators=(",", ":")
    ).encode()


def write_error(error: ProtocolError, at: datetime) -> bytes:
    """Return an error as JSON. A message with a TurkErrorCode ends with the time in milliseconds, as MTurk's do."""
    message = error.message
    if isinstance(error, RequestError) or error.turk_code:
        message = f"{message} ({int(at.timestamp() * 1000)})"
    document: dict[str, Any] = {"__type": error.code, "Message": message}
    if error.turk_code:
        document["TurkErrorCode"] = error.turk_code
    return json.dumps(document, ensure_ascii=False).encode()
