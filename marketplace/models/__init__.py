"""The marketplace's data: people and keys, HITs and assignments, money, qualifications."""

from marketplace.models.accounts import (
    Invitation,
    Letter,
    Requester,
    RequesterKey,
    SigninLink,
    Worker,
    WorkerMessage,
)
from marketplace.models.hits import (
    Assignment,
    Departure,
    Hit,
    HitType,
    RequestToken,
    RequiredQualification,
)
from marketplace.models.money import Bonus, LedgerEntry, Payout, PayoutBatch, PayoutItem
from marketplace.models.outgoing import Outgoing
from marketplace.models.qualifications import (
    Qualification,
    QualificationRequest,
    QualificationType,
    WorkerBlock,
)
from marketplace.models.rates import Bucket

__all__ = [
    "Assignment",
    "Bonus",
    "Bucket",
    "Departure",
    "Hit",
    "HitType",
    "Invitation",
    "LedgerEntry",
    "Letter",
    "Outgoing",
    "Payout",
    "PayoutBatch",
    "PayoutItem",
    "Qualification",
    "QualificationRequest",
    "QualificationType",
    "RequestToken",
    "Requester",
    "RequesterKey",
    "RequiredQualification",
    "SigninLink",
    "Worker",
    "WorkerBlock",
    "WorkerMessage",
]
