"""Operations on money: bonuses and the balance."""

from typing import Any

from django.db import transaction
from django.db.models import F

from marketplace.errors import ParameterValidationError, RequestError
from marketplace.models import Assignment, Bonus, LedgerEntry, Requester, RequestToken, Worker
from marketplace.protocol import limits
from marketplace.rules import money
from marketplace.services import funds, request_tokens
from marketplace.services.call import Call
from marketplace.services.requester import assignments, hits
from marketplace.services.requester.list_pages import page
from marketplace.services.requester.workers import worker_of_call as find_worker


def send_bonus(call: Call) -> dict[str, Any]:
    """Pay a bonus immediately, for a task that the worker submitted, returned or did not finish in time."""
    amount = limits.amount(call.request, "BonusAmount", least_cents=1)
    reason = limits.text(call.request, "Reason", 4096, least=1)
    worker = find_worker(call)
    if worker.forgotten_at is not None:
        raise RequestError(
            "WorkerNotFound", f"Worker {worker.worker_id} no longer has an account and cannot be paid."
        )
    fee = money.fee(amount)
    with transaction.atomic():
        request_tokens.spend(call, RequestToken.Scope.BONUS)
        assignment = assignments.assignment_of_call(call)
        if not _worked_on(assignment, worker):
            raise RequestError(
                "AssignmentDoesNotExist",
                f"Assignment {assignment.assignment_id} does not exist for worker {worker.worker_id}.",
            )
        _pay_bonus(call, assignment, worker, amount, fee, reason)
        funds.move_funds(call.requester.pk, spent=amount + fee)
    return {}


def _worked_on(assignment: Assignment, worker: Worker) -> bool:
    """Return whether the worker submitted the assignment, or held it before it was returned or ran out of time.

    MTurk pays no bonus without a submission. Here a requester whose page saves work step by step can pay for it.
    """
    if assignment.worker_id == worker.pk:
        return assignment.status in Assignment.HANDED_IN
    return assignment.departures.filter(worker=worker).exists()


def _pay_bonus(
    call: Call, assignment: Assignment, worker: Worker, amount: int, fee: int, reason: str
) -> None:
    bonus = Bonus.objects.create(
        assignment=assignment,
        requester=call.requester,
        worker=worker,
        amount_cents=amount,
        reason=reason,
        granted_at=call.now,
    )
    LedgerEntry.objects.create(
        requester=call.requester,
        kind=LedgerEntry.Kind.BONUS,
        amount_cents=-amount,
        fee_cents=-fee,
        worker=worker,
        assignment=assignment,
        bonus=bonus,
        made_at=call.now,
    )
    Worker.objects.filter(pk=worker.pk).update(earned_cents=F("earned_cents") + amount)


def list_bonus_payments(call: Call) -> dict[str, Any]:
    """List the bonuses of one HIT or one assignment."""
    if ("HITId" in call.request) == ("AssignmentId" in call.request):
        raise ParameterValidationError("HITId", call.request.get("HITId", ""), "Pass HITId or AssignmentId.")
    rows = Bonus.objects.filter(requester=call.requester).select_related("assignment", "worker")
    if "HITId" in call.request:
        hit = hits.hit_of_call(call)
        found = page(rows.filter(assignment__hit=hit), call, of=f"bonuses of HIT {hit.pk}")
    else:
        assignment = assignments.assignment_of_call(call)
        found = page(rows.filter(assignment=assignment), call, of=f"bonuses of {assignment.pk}")
    return found.answer("BonusPayments", [_bonus_payment(row) for row in found.rows])


def _bonus_payment(row: Bonus) -> dict[str, Any]:
    return {
        "WorkerId": row.worker.worker_id,
        "BonusAmount": money.protocol_amount(row.amount_cents),
        "AssignmentId": row.assignment.assignment_id,
        "Reason": row.reason,
        "GrantTime": row.granted_at,
    }


def get_account_balance(call: Call) -> dict[str, Any]:
    """Return the available balance, and the amount reserved for places and submissions."""
    requester = Requester.objects.get(pk=call.requester.pk)
    return {
        "AvailableBalance": money.protocol_amount(requester.available_cents),
        "OnHoldBalance": money.protocol_amount(requester.held_cents),
    }
