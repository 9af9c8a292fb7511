"""A crowd that uses Amazon MTurk's requester protocol: the marketplace, MTurk's sandbox or MTurk itself.

This is the only module that imports boto3. boto3's retries are off, so one call here is one request. Retries are
decided where the intent is recorded (judging/exchange/calls.py).
"""

import functools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings
from django.db import connection

from config.crowd_endpoints import is_amazon
from config.process import launcher
from judging.crowds.arrival import ExternalQuestionPage, signed_at
from judging.crowds.call_metrics import watched
from judging.crowds.interface import (
    MESSAGE_AT_ONCE,
    Arrival,
    CrowdSubmission,
    Fees,
    PaidBonus,
    PostedPlace,
    PostingKind,
    QualificationKind,
)
from judging.crowds.limiter import limiter
from judging.crowds.mturk_errors import crowd_error, error_header, turk_error_code
from judging.errors import CrowdAlready, CrowdLater, CrowdNever, CrowdThrottled
from judging.rules.question_xml import external_question, parse_answers

REGION = "us-east-1"
PAGE = 100


@functools.lru_cache(maxsize=16)
def _client(endpoint: str, access_key: str, secret_key: str, timeout: float) -> Any:
    return boto3.client(
        "mturk",
        region_name=REGION,
        endpoint_url=endpoint,
        aws_access_key_id=access_key,
        aws_secret_access_key=secret_key,
        config=Config(
            connect_timeout=timeout,
            read_timeout=timeout,
            retries={"total_max_attempts": 1},
            max_pool_connections=32,
        ),
    )


class MTurk(ExternalQuestionPage):
    """The crowd interface for a requester's account in MTurk's protocol."""

    fees = Fees(share=Decimal("0.20"), least=Decimal("0.01"))
    keeps_block_lists = True

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint
        # Amazon does not sign arrivals. The marketplace signs them with the secret key that signs our calls.
        self.signs_arrivals = self.pays_unsubmitted = not is_amazon(endpoint)

    def read_arrival(self, params: Mapping[str, str]) -> Arrival:
        """Return the arrival that the URL's parameters describe. The marketplace's arrivals must be signed."""
        arrival = super().read_arrival(params)
        if arrival.preview or not self.signs_arrivals:
            return arrival
        _, secret_key = launcher.crowd_keys()
        return replace(arrival, taken_at=signed_at(params, arrival, secret_key))

    def returned_at(self, assignment_id: str) -> datetime | None:
        """Return when the worker returned the assignment. Only the marketplace states this, in an error's header."""
        try:
            self.submission(assignment_id)
        except CrowdNever as error:
            at = error_header(error, "x-returned-at")
            return datetime.fromisoformat(at) if at else None
        return None

    def create_kind(self, kind: PostingKind) -> str:
        """Call CreateHITType and return the id. The same content gives the same id."""
        reply = self._call(
            "create_hit_type",
            effect=True,
            Title=kind.title,
            Description=kind.description,
            Keywords=kind.keywords,
            Reward=f"{kind.reward:.2f}",
            AssignmentDurationInSeconds=kind.assignment_seconds,
            AutoApprovalDelayInSeconds=kind.auto_approval_seconds,
            QualificationRequirements=list(kind.qualifications),
        )
        return str(reply["HITTypeId"])

    def post_place(self, *, kind_id: str, url: str, lifetime_seconds: int, key: str) -> PostedPlace:
        """Call CreateHITWithHITType with one assignment; ``key`` is both the request token and the annotation."""
        reply = self._call(
            "create_hit_with_hit_type",
            effect=True,
            HITTypeId=kind_id,
            MaxAssignments=1,
            LifetimeInSeconds=lifetime_seconds,
            Question=external_question(url),
            RequesterAnnotation=key,
            UniqueRequestToken=key,
        )
        return _posted_place(reply["HIT"])

    def find_place(self, key: str) -> PostedPlace | None:
        """Return the place whose HIT has the annotation ``key``, or None. Reads the account's HITs page by page."""
        return next((place for place in self.places() if place.key == key), None)

    def place(self, crowd_id: str) -> PostedPlace:
        """Call GetHIT and return the place."""
        return _posted_place(self._call("get_hit", HITId=crowd_id)["HIT"])

    def asked_of_workers(self, crowd_id: str) -> Sequence[dict[str, Any]]:
        """Call GetHIT and return the HIT's qualification requirements."""
        return list(self._call("get_hit", HITId=crowd_id)["HIT"].get("QualificationRequirements", []))

    def close_place(self, crowd_id: str) -> None:
        """Call UpdateExpirationForHIT with a time in the past. Succeeds if the place is already closed."""
        try:
            self._call("update_expiration_for_hit", effect=True, HITId=crowd_id, ExpireAt=0)
        except CrowdAlready:
            return

    def places(self) -> Iterator[PostedPlace]:
        """Call ListHITs for each page, and yield the place of each HIT."""
        for page in self._pages("list_hits"):
            yield from (_posted_place(hit) for hit in page["HITs"])

    def submissions(self, place_crowd_id: str) -> list[CrowdSubmission]:
        """Call ListAssignmentsForHIT for each page, and return the submissions of all pages."""
        pages = self._pages("list_assignments_for_hit", HITId=place_crowd_id)
        return [_crowd_submission(row) for page in pages for row in page["Assignments"]]

    def submission(self, assignment_id: str) -> CrowdSubmission:
        """Call GetAssignment and return the submission."""
        return _crowd_submission(self._call("get_assignment", AssignmentId=assignment_id)["Assignment"])

    def approve(self, assignment_id: str, *, override_rejection: bool = False) -> None:
        """Call ApproveAssignment. Succeeds if the assignment is already approved."""
        override = {"OverrideRejection": True} if override_rejection else {}
        self._review("approve_assignment", "Approved", assignment_id, **override)

    def reject(self, assignment_id: str, *, reason: str) -> None:
        """Call RejectAssignment. Succeeds if the assignment is already rejected."""
        self._review("reject_assignment", "Rejected", assignment_id, RequesterFeedback=reason)

    def _review(self, operation: str, wanted: str, assignment_id: str, **request: Any) -> None:
        try:
            self._call(operation, effect=True, AssignmentId=assignment_id, **request)
        except (CrowdNever, CrowdAlready):
            status = self.submission(assignment_id).status
            if status == "Submitted":  # new submissions cannot be reviewed for some minutes
                raise CrowdLater(
                    f"{assignment_id} cannot be reviewed yet.", "The call is retried automatically."
                ) from None
            if status != wanted:
                raise

    def pay_bonus(
        self, *, assignment_id: str, crowd_worker_id: str, amount: Decimal, reason: str, key: str
    ) -> None:
        """Call SendBonus with ``key`` as the request token. Raises CrowdLater if the submission is not found yet."""
        try:
            self._call(
                "send_bonus",
                effect=True,
                WorkerId=crowd_worker_id,
                AssignmentId=assignment_id,
                BonusAmount=f"{amount:.2f}",
                Reason=reason,
                UniqueRequestToken=key,
            )
        except CrowdNever as error:
            unknown = turk_error_code(error).endswith(".assignmentdoesnotexist")
            if unknown and self.submission(assignment_id).submitted_at:
                raise CrowdLater(error.message, "The call is retried automatically.") from None
            raise

    def bonuses(self, *, assignment_id: str = "", place_crowd_id: str = "") -> list[PaidBonus]:
        """Call ListBonusPayments for an assignment or a HIT, and return the bonuses of all pages."""
        of = {"AssignmentId": assignment_id} if assignment_id else {"HITId": place_crowd_id}
        pages = self._pages("list_bonus_payments", **of)
        return [_paid_bonus(row) for page in pages for row in page["BonusPayments"]]

    def create_block_list(self, *, name: str, description: str) -> str:
        """Call CreateQualificationType and return the id. The name must be new in the account."""
        reply = self._call(
            "create_qualification_type",
            effect=True,
            Name=name,
            Description=description,
            QualificationTypeStatus="Active",
        )
        return str(reply["QualificationType"]["QualificationTypeId"])

    def find_block_list(self, name: str) -> str | None:
        """Call ListQualificationTypes and return the id of our type with exactly this name, or None.

        MTurk also finds longer names that contain this one.
        """
        own = {"Query": name, "MustBeRequestable": False, "MustBeOwnedByCaller": True}
        pages = self._pages("list_qualification_types", **own)
        rows = (row for page in pages for row in page["QualificationTypes"])
        return next((str(row["QualificationTypeId"]) for row in rows if row["Name"] == name), None)

    def block(self, block_list: str, crowd_worker_id: str) -> None:
        """Call AssociateQualificationWithWorker without an e-mail to the worker. A repeated call changes nothing."""
        self._call(
            "associate_qualification_with_worker",
            effect=True,
            QualificationTypeId=block_list,
            WorkerId=crowd_worker_id,
            IntegerValue=1,
            SendNotification=False,
        )

    def unblock(self, block_list: str, crowd_worker_id: str) -> None:
        """Call DisassociateQualificationFromWorker. Succeeds for a worker without the qualification."""
        with suppress(CrowdNever):
            self._call(
                "disassociate_qualification_from_worker",
                effect=True,
                QualificationTypeId=block_list,
                WorkerId=crowd_worker_id,
            )

    def message(self, *, crowd_worker_ids: Sequence[str], subject: str, text: str) -> dict[str, str]:
        """Call NotifyWorkers. Return {worker id: error} for the failures that the reply lists."""
        if len(crowd_worker_ids) > MESSAGE_AT_ONCE:
            raise ValueError(f"one call can message at most {MESSAGE_AT_ONCE} workers")
        reply = self._call(
            "notify_workers",
            effect=True,
            Subject=subject,
            MessageText=text,
            WorkerIds=list(crowd_worker_ids),
        )
        rows = reply.get("NotifyWorkersFailureStatuses", [])
        return {row["WorkerId"]: row.get("NotifyWorkersFailureMessage") or "not delivered" for row in rows}

    def balance(self) -> Decimal:
        """Call GetAccountBalance and return the available balance."""
        return Decimal(self._call("get_account_balance")["AvailableBalance"])

    def qualification(self, crowd_key: str) -> QualificationKind:
        """Call GetQualificationType for one of our own types or a system type, and return its name and state."""
        found = self._call("get_qualification_type", QualificationTypeId=crowd_key)["QualificationType"]
        return QualificationKind(found["Name"], found["QualificationTypeStatus"] == "Active")

    def _pages(self, operation: str, **request: Any) -> Iterator[dict[str, Any]]:
        token: dict[str, Any] = {}
        while True:
            reply = self._call(operation, **{"MaxResults": PAGE, **request, **token})
            yield reply
            if not reply.get("NextToken"):
                return
            token = {"NextToken": reply["NextToken"]}

    def _call(self, operation: str, *, effect: bool = False, **request: Any) -> dict[str, Any]:
        if effect and connection.in_atomic_block:
            raise RuntimeError(
                f"{operation} changes something at the crowd, so it must not run inside a transaction"
            )
        limiter().wait(self.endpoint)
        client = _client(self.endpoint, *launcher.crowd_keys(), settings.CROWD_TIMEOUT_SECONDS)
        with watched(operation):
            try:
                reply: dict[str, Any] = getattr(client, operation)(**request)
            except (ClientError, BotoCoreError) as error:
                translated = crowd_error(error, self.endpoint)
                if isinstance(translated, CrowdThrottled):
                    limiter().throttled(self.endpoint)
                raise translated from error
        return reply


def _posted_place(hit: dict[str, Any]) -> PostedPlace:
    taken = hit["MaxAssignments"] - hit["NumberOfAssignmentsAvailable"] - hit["NumberOfAssignmentsPending"]
    return PostedPlace(
        crowd_id=hit["HITId"],
        key=hit.get("RequesterAnnotation", ""),
        expires_at=hit.get("Expiration"),
        open=hit["HITStatus"] in ("Assignable", "Unassignable"),
        has_submission=taken > 0,
        held=hit["NumberOfAssignmentsPending"] > 0,
        posted_at=hit.get("CreationTime"),
    )


def _paid_bonus(row: dict[str, Any]) -> PaidBonus:
    return PaidBonus(
        assignment_id=row["AssignmentId"],
        crowd_worker_id=row["WorkerId"],
        amount=Decimal(row["BonusAmount"]),
        reason=row.get("Reason", ""),
        granted_at=row.get("GrantTime"),
    )


def _crowd_submission(row: dict[str, Any]) -> CrowdSubmission:
    try:
        answers = parse_answers(row.get("Answer", ""))
    except ValueError:
        answers = {}  # the answers are unreadable: use our saved choices
    return CrowdSubmission(
        assignment_id=row["AssignmentId"],
        place_crowd_id=row["HITId"],
        crowd_worker_id=row["WorkerId"],
        status=row["AssignmentStatus"],
        submitted_at=row.get("SubmitTime"),
        auto_approval_at=row.get("AutoApprovalTime"),
        answers=answers,
    )
