"""A requester's call, as the services of the protocol receive it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from marketplace.models import Requester


@dataclass(frozen=True)
class Call:
    """A requester's call: the caller, the validated request, the time and the request id."""

    requester: Requester
    request: dict[str, Any]
    now: datetime
    request_id: str
