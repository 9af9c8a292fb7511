"""Who arrives at a judging page, read from the address the crowd made; and where the final form goes.

Everything here comes from the address, so everything is checked: ids by their pattern, ``turkSubmitTo``
against the hosts of the settings (else the page would send answers wherever an address says).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings

from judging.errors import ArrivalRefused

PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
SUBMIT_PATH = "/mturk/externalSubmit"
_entity = re.compile(r"[A-Z0-9]{1,64}")
_worker = re.compile(r"A[A-Z0-9]{1,63}")


@dataclass(frozen=True)
class Arrival:
    """Who came. In a preview all but ``preview`` may be empty."""

    assignment_id: str
    place_crowd_id: str
    crowd_worker_id: str
    submit_to: str
    preview: bool


def read_arrival(params: Mapping[str, str]) -> Arrival:
    """The arrival in an address's parameters; raises :class:`ArrivalRefused` when it is not whole."""
    assignment = params.get("assignmentId", "").strip()
    if assignment in ("", PREVIEW):
        return Arrival("", "", "", "", preview=True)
    # Seen in the wild: blanks around worker ids, and ids doubled as "A1,A1".
    worker = params.get("workerId", "").strip().partition(",")[0].strip()
    place = params.get("hitId", "").strip()
    if not (_entity.fullmatch(assignment) and _entity.fullmatch(place) and _worker.fullmatch(worker)):
        raise ArrivalRefused(
            "The address of this page is not complete.",
            "Go back to the crowd's site and open the task again.",
        )
    submit_to = params.get("turkSubmitTo", "").strip() or default_submit_to()
    submit_url(submit_to)
    return Arrival(assignment, place, worker, submit_to, preview=False)


def default_submit_to() -> str:
    """Where the form goes when the crowd did not say (seen in the wild): the first of the known hosts."""
    return str(settings.CROWD_HOSTS[0]) if settings.CROWD_HOSTS else ""


def submit_url(submit_to: str) -> str:
    """The address of the final form; raises :class:`ArrivalRefused` for a host that is not the crowd's."""
    origin = _origin(submit_to)
    if not origin or origin not in {_origin(host) for host in settings.CROWD_HOSTS}:
        raise ArrivalRefused(
            "The address of this page names a site that is not the crowd's.",
            "Go back to the crowd's site and open the task again.",
        )
    return origin + urlsplit(submit_to).path.rstrip("/") + SUBMIT_PATH


def _origin(address: str) -> str:
    try:
        parts = urlsplit(address)
    except ValueError:  # brackets that hold no address
        return ""
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme in ("http", "https") and parts.netloc else ""
