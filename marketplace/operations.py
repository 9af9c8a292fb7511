"""The operations this marketplace offers, by their protocol names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from marketplace.errors import UnsupportedOperationException
from marketplace.services import assignments, hits, payments, qualifications, workers
from marketplace.services.call import Call

Operation = Callable[[Call], dict[str, Any]]

OPERATIONS: Mapping[str, Operation] = {
    "ApproveAssignment": assignments.approve_assignment,
    "AssociateQualificationWithWorker": qualifications.associate_qualification_with_worker,
    "CreateAdditionalAssignmentsForHIT": hits.create_additional_assignments_for_hit,
    "CreateHIT": hits.create_hit,
    "CreateHITType": hits.create_hit_type,
    "CreateHITWithHITType": hits.create_hit_with_hit_type,
    "CreateQualificationType": qualifications.create_qualification_type,
    "CreateWorkerBlock": workers.create_worker_block,
    "DeleteHIT": hits.delete_hit,
    "DeleteWorkerBlock": workers.delete_worker_block,
    "DisassociateQualificationFromWorker": qualifications.disassociate_qualification_from_worker,
    "GetAccountBalance": payments.get_account_balance,
    "GetAssignment": assignments.get_assignment,
    "GetHIT": hits.get_hit,
    "GetQualificationScore": qualifications.get_qualification_score,
    "GetQualificationType": qualifications.get_qualification_type,
    "ListAssignmentsForHIT": assignments.list_assignments_for_hit,
    "ListBonusPayments": payments.list_bonus_payments,
    "ListHITs": hits.list_hits,
    "ListQualificationTypes": qualifications.list_qualification_types,
    "ListReviewableHITs": hits.list_reviewable_hits,
    "ListWorkerBlocks": workers.list_worker_blocks,
    "ListWorkersWithQualificationType": qualifications.list_workers_with_qualification_type,
    "NotifyWorkers": workers.notify_workers,
    "RejectAssignment": assignments.reject_assignment,
    "SendBonus": payments.send_bonus,
    "UpdateExpirationForHIT": hits.update_expiration_for_hit,
}


def find(name: str) -> Operation:
    """The operation of that name; raises UnsupportedOperationException for those the marketplace lacks."""
    if name not in OPERATIONS:
        raise UnsupportedOperationException(f"This marketplace does not support the operation {name}.")
    return OPERATIONS[name]
