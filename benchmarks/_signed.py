"""The signed parameters with which the marketplace sends a worker to the judging page."""

from config import clock
from config.process import launcher
from judging.crowds.arrival import SIGNATURE
from marketplace.protocol.arrival_signature import sign


def arrival(assignment: str, place: str, worker: str) -> dict[str, str]:
    """Return the assignment, HIT and worker, signed by this installation's requester."""
    _, secret_key = launcher.crowd_keys()
    ids = {"assignment_id": assignment, "hit_id": place, "worker_id": worker}
    signature = sign([secret_key], taken_at=clock.now(), **ids)
    return {"assignmentId": assignment, "hitId": place, "workerId": worker, SIGNATURE: signature}
