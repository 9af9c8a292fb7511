"""The operations this marketplace offers, by their protocol names."""

from collections.abc import Callable, Mapping
from typing import Any

from marketplace.errors import UnsupportedOperationException
from marketplace.services.call import Call
from marketplace.services.requester import (
    assignments,
    hits,
    notifications,
    payments,
    qualification_requests,
    qualification_types,
    qualifications,
    workers,
)

Operation = Callable[[Call], dict[str, Any]]

OPERATIONS: Mapping[str, Operation] = {
    "AcceptQualificationRequest": qualification_requests.accept_qualification_request,
    "ApproveAssignment": assignments.approve_assignment,
    "AssociateQualificationWithWorker": qualifications.associate_qualification_with_worker,
    "CreateAdditionalAssignmentsForHIT": hits.create_additional_assignments_for_hit,
    "CreateHIT": hits.create_hit,
    "CreateHITType": hits.create_hit_type,
    "CreateHITWithHITType": hits.create_hit_with_hit_type,
    "CreateQualificationType": qualification_types.create_qualification_type,
    "CreateWorkerBlock": workers.create_worker_block,
    "DeleteHIT": hits.delete_hit,
    "DeleteQualificationType": qualification_types.delete_qualification_type,
    "DeleteWorkerBlock": workers.delete_worker_block,
    "DisassociateQualificationFromWorker": qualifications.disassociate_qualification_from_worker,
    "GetAccountBalance": payments.get_account_balance,
    "GetAssignment": assignments.get_assignment,
    "GetFileUploadURL": assignments.get_file_upload_url,
    "GetHIT": hits.get_hit,
    "GetQualificationScore": qualifications.get_qualification_score,
    "GetQualificationType": qualification_types.get_qualification_type,
    "ListAssignmentsForHIT": assignments.list_assignments_for_hit,
    "ListBonusPayments": payments.list_bonus_payments,
    "ListHITs": hits.list_hits,
    "ListHITsForQualificationType": qualification_types.list_hits_for_qualification_type,
    "ListQualificationRequests": qualification_requests.list_qualification_requests,
    "ListQualificationTypes": qualification_types.list_qualification_types,
    "ListReviewPolicyResultsForHIT": hits.list_review_policy_results_for_hit,
    "ListReviewableHITs": hits.list_reviewable_hits,
    "ListWorkerBlocks": workers.list_worker_blocks,
    "ListWorkersWithQualificationType": qualifications.list_workers_with_qualification_type,
    "NotifyWorkers": workers.notify_workers,
    "RejectAssignment": assignments.reject_assignment,
    "RejectQualificationRequest": qualification_requests.reject_qualification_request,
    "SendBonus": payments.send_bonus,
    "SendTestEventNotification": notifications.send_test_event_notification,
    "UpdateExpirationForHIT": hits.update_expiration_for_hit,
    "UpdateHITReviewStatus": hits.update_hit_review_status,
    "UpdateHITTypeOfHIT": hits.update_hit_type_of_hit,
    "UpdateNotificationSettings": notifications.update_notification_settings,
    "UpdateQualificationType": qualification_types.update_qualification_type,
}


def operation_named(name: str) -> Operation:
    """Return the operation of that name; raises UnsupportedOperationException if the marketplace lacks it."""
    if name not in OPERATIONS:
        raise UnsupportedOperationException(f"This marketplace does not support the operation {name}.")
    return OPERATIONS[name]
