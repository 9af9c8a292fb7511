"""What the marketplace keeps: people and keys, HITs and assignments, money, qualifications."""

from marketplace.models.accounts import Requester, RequesterKey, SigninLink, Worker, WorkerMessage
from marketplace.models.hits import Assignment, Departure, Hit, HitType, RequestToken
from marketplace.models.money import Bonus, LedgerEntry
from marketplace.models.qualifications import Qualification, QualificationType, WorkerBlock

__all__ = [
    "Assignment",
    "Bonus",
    "Departure",
    "Hit",
    "HitType",
    "LedgerEntry",
    "Qualification",
    "QualificationType",
    "RequestToken",
    "Requester",
    "RequesterKey",
    "SigninLink",
    "Worker",
    "WorkerBlock",
    "WorkerMessage",
]
