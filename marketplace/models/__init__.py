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
