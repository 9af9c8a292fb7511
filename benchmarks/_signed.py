"""The parameters with which the marketplace would send somebody to the judging page, signed as it signs them."""

from __future__ import annotations

from config import clock, launcher
from judging.crowds.arrival import SIGNATURE
from marketplace.arrival_signature import sign


def arrival(assignment: str, place: str, worker: str) -> dict[str, str]:
    """Assignment, HIT and worker, with the signature of this installation's requester."""
    _, secret_key = launcher.crowd_keys()
    ids = {"assignment_id": assignment, "hit_id": place, "worker_id": worker}
    signature = sign([secret_key], taken_at=clock.now(), **ids)
    return {"assignmentId": assignment, "hitId": place, "workerId": worker, SIGNATURE: signature}
