"""Descriptions of rows in the format of the protocol's responses."""

from typing import Any

from marketplace.models import Assignment, Hit, Qualification, QualificationRequest, QualificationType
from marketplace.rules import money


def hit(row: Hit) -> dict[str, Any]:
    """Describe a HIT. As on MTurk, Completed counts only approved and rejected assignments."""
    kind = row.hit_type
    return {
        "HITId": row.hit_id,
        "HITTypeId": kind.type_id,
        "HITGroupId": kind.group_id,
        "CreationTime": row.created_at,
        "Title": kind.title,
        "Description": kind.description,
        "Question": row.question,
        "Keywords": kind.keywords or None,
        "HITStatus": str(row.status),
        "MaxAssignments": row.max_assignments,
        "Reward": money.protocol_amount(kind.reward_cents),
        "AutoApprovalDelayInSeconds": kind.auto_approval_seconds,
        "Expiration": row.expires_at,
        "AssignmentDurationInSeconds": kind.assignment_seconds,
        "RequesterAnnotation": row.annotation or None,
        "QualificationRequirements": kind.requirements,
        "HITReviewStatus": "NotReviewed",
        "NumberOfAssignmentsPending": row.pending,
        "NumberOfAssignmentsAvailable": row.available,
        "NumberOfAssignmentsCompleted": row.approved + row.rejected,
    }


def assignment(row: Assignment) -> dict[str, Any]:
    assert row.worker is not None
    return {
        "AssignmentId": row.assignment_id,
        "WorkerId": row.worker.worker_id,
        "HITId": row.hit.hit_id,
        "AssignmentStatus": str(row.status),
        "AutoApprovalTime": row.auto_approval_at,
        "AcceptTime": row.accepted_at,
        "SubmitTime": row.submitted_at,
        "ApprovalTime": row.approved_at,
        "RejectionTime": row.rejected_at,
        "Deadline": row.deadline,
        "Answer": row.answer,
        "RequesterFeedback": row.feedback or None,
    }


def qualification_type(row: QualificationType) -> dict[str, Any]:
    """Describe a requester's own qualification type."""
    return {
        "QualificationTypeId": row.type_id,
        "CreationTime": row.created_at,
        "Name": row.name,
        "Description": row.description,
        "Keywords": row.keywords or None,
        "QualificationTypeStatus": "Active" if row.active else "Inactive",
        "IsRequestable": row.active,
        "AutoGranted": row.auto_granted,
        "AutoGrantedValue": row.auto_granted_value,
        "RetryDelayInSeconds": row.retry_delay_seconds,
    }


def qualification_request(row: QualificationRequest) -> dict[str, Any]:
    """Describe a worker's request for a qualification. It has no answer, because there are no tests."""
    return {
        "QualificationRequestId": row.request_id,
        "QualificationTypeId": row.qualification_type.type_id,
        "WorkerId": row.worker.worker_id,
        "SubmitTime": row.submitted_at,
    }


def qualification(row: Qualification) -> dict[str, Any]:
    """Describe a worker's score in a qualification, granted or revoked."""
    return {
        "QualificationTypeId": row.qualification_type.type_id,
        "WorkerId": row.worker.worker_id,
        "GrantTime": row.granted_at,
        "IntegerValue": row.value,
        "Status": "Granted" if row.granted else "Revoked",
    }
