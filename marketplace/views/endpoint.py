"""The requester protocol, served at ``POST /``."""

import logging
import uuid
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse

from marketplace import clock
from marketplace.errors import (
    ProtocolError,
    SerializationException,
    ServiceFault,
    ThrottlingException,
    UnrecognizedClientException,
)
from marketplace.models import Requester, RequesterKey
from marketplace.protocol import shapes, signature, wire_format as protocol
from marketplace.services import expiry, hit_state, rates
from marketplace.services.call import Call
from marketplace.services.requester import operations

logger = logging.getLogger(__name__)
_ATTEMPTS = 5


def answer_call(request: HttpRequest) -> HttpResponse:
    """Authenticate and check the call, run it and respond. Refusals have the protocol's format."""
    request_id = str(uuid.uuid4())
    headers = {"x-amzn-RequestId": request_id}
    try:
        body, status = protocol.write_body(_run_operation(request, request_id)), 200
    except ProtocolError as error:
        body, status = protocol.write_error(error, clock.wall()), error.status
        headers |= error.headers
    except RequestDataTooBig:
        too_big = SerializationException("The request body is larger than this service accepts.")
        body, status = protocol.write_error(too_big, clock.wall()), too_big.status
    except OperationalError:
        logger.warning("The database did not answer in time.", exc_info=True)
        body, status = protocol.write_error(ServiceFault(), clock.wall()), 503
    except Exception:
        logger.exception("A call failed.")
        body, status = protocol.write_error(ServiceFault(), clock.wall()), ServiceFault.status
    return HttpResponse(body, status=status, content_type=protocol.CONTENT_TYPE, headers=headers)


def _run_operation(request: HttpRequest, request_id: str) -> dict[str, Any]:
    requester = _authenticate(request)
    name = protocol.operation_name(request.headers.get("X-Amz-Target", ""))
    shapes.operation(name)
    operation = operations.operation_named(name)
    checked = shapes.read_request(name, protocol.read_body(request.body))
    now = clock.now()
    expiry.apply_due(now)
    for attempt in range(_ATTEMPTS):
        try:
            return shapes.write_response(name, operation(Call(requester, checked, now, request_id)))
        except hit_state.LostRace:
            logger.info("Attempt %d of %s lost a race.", attempt + 1, name)
    raise ServiceFault


def _authenticate(request: HttpRequest) -> Requester:
    headers = {name.lower(): value for name, value in request.headers.items()}
    credential = signature.read_credential(headers)
    if "x-amz-security-token" in headers:
        raise UnrecognizedClientException  # session credentials are never issued here
    key = (
        RequesterKey.objects.select_related("requester")
        .valid_at(clock.now())
        .filter(access_key=credential.access_key)
        .first()
    )
    if key is None:
        raise UnrecognizedClientException
    signature.check_scope(credential, region=protocol.REGION, service=protocol.SIGNING_NAME, now=clock.wall())
    signature.check_signature(
        credential,
        key.secret_key,
        method=request.method or "",
        path=request.path,
        headers=headers,
        body=request.body,
    )
    _throttle(key.requester_id)
    return key.requester


def _throttle(requester_id: int) -> None:
    """Limit calls per requester, whichever key signs them."""
    calls = settings.THROTTLE_PER_SECOND
    if calls and not rates.take_rate(f"calls {requester_id}", rates.per_second(calls)):
        raise ThrottlingException
