from typing import Any

from django.db import transaction

from marketplace.errors import ParameterValidationError
from marketplace.models import Assignment, Worker, WorkerBlock
from marketplace.protocol import limits
from marketplace.services import messages
from marketplace.services.call import Call
from marketplace.services.requester.list_pages import page
from marketplace.services.worker import closed_requesters as refusing

MOST_NOTIFIED = 100
_REVIEWED = (Assignment.Status.APPROVED, Assignment.Status.REJECTED)


def create_worker_block(call: Call) -> dict[str, Any]:
    """Block a worker, or overwrite the reason of an existing block. The worker never sees the reason."""
    reason = limits.text(call.request, "Reason", 4096, least=1)
    WorkerBlock.objects.update_or_create(
        requester=call.requester,
        worker=worker_of_call(call),
        defaults={"reason": reason},
        create_defaults={"reason": reason, "created_at": call.now},
    )
    return {}


def delete_worker_block(call: Call) -> dict[str, Any]:
    """Unblock a worker. Does nothing if there is no block."""
    worker = worker_of_call(call)
    with transaction.atomic():
        block = WorkerBlock.objects.filter(requester=call.requester, worker=worker).first()
        if block is not None and block.delete()[0]:
            hidden = call.requester.hit_types.filter(deleted_at=None)
            refusing.offer_again(worker, call.requester, hidden, since=block.created_at, now=call.now)
    return {}


def list_worker_blocks(call: Call) -> dict[str, Any]:
    rows = WorkerBlock.objects.filter(requester=call.requester).select_related("worker")
    found = page(rows, call, of="blocks")
    described = [{"WorkerId": row.worker.worker_id, "Reason": row.reason} for row in found.rows]
    return found.answer("WorkerBlocks", described)


def notify_workers(call: Call) -> dict[str, Any]:
    """Send a message to workers whose submissions the requester has reviewed; return the others as failures."""
    subject = limits.text(call.request, "Subject", 200, least=1)
    text = limits.text(call.request, "MessageText", 4096, least=1)
    ids: list[str] = list(dict.fromkeys(call.request["WorkerIds"]))
    if not 1 <= len(ids) <= MOST_NOTIFIED:
        raise ParameterValidationError(
            "WorkerIds", len(ids), f"List between 1 and {MOST_NOTIFIED} worker ids."
        )
    known = {
        worker.worker_id: worker for worker in Worker.objects.filter(worker_id__in=ids, forgotten_at=None)
    }
    reviewed = set(
        Assignment.objects.filter(
            worker__in=known.values(), status__in=_REVIEWED, hit__requester=call.requester
        ).values_list("worker_id", flat=True)
    )
    reached = [worker for worker in known.values() if worker.pk in reviewed]
    with transaction.atomic():
        messages.message_workers(reached, call.requester, subject, text, call.now)
    told = {worker.worker_id for worker in reached}
    failures = [_notify_failure(worker_id, worker_id in known) for worker_id in ids if worker_id not in told]
    return {"NotifyWorkersFailureStatuses": failures}


def _notify_failure(worker_id: str, known: bool) -> dict[str, Any]:
    reason = "You have not approved or rejected work of this worker." if known else "There is no such worker."
    return {
        "NotifyWorkersFailureCode": "HardFailure",
        "NotifyWorkersFailureMessage": reason,
        "WorkerId": worker_id,
    }


def worker_of_call(call: Call) -> Worker:
    """Return the worker that a call names. Raises ParameterValidationError if there is none, as MTurk does."""
    worker = Worker.objects.filter(worker_id=call.request["WorkerId"]).first()
    if worker is None:
        raise ParameterValidationError("WorkerId", call.request["WorkerId"])
    return worker
