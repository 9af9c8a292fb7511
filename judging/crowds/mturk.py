"""A crowd that speaks Amazon MTurk's requester protocol: the marketplace, the sandbox, production.

The only module that imports boto3. Its own retries are off: one call here is one request, and whether it is
tried again is decided where its intent is recorded (judging/services/calls.py).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings
from django.db import connection

from config import launcher
from judging.crowds.limiter import limiter
from judging.crowds.seam import CrowdSubmission, Fees, PostedPlace, PostingKind
from judging.errors import (
    CrowdAlready,
    CrowdConfiguration,
    CrowdError,
    CrowdLater,
    CrowdMoney,
    CrowdNever,
    CrowdThrottled,
)
from judging.question import external_question, parse_answers

REGION = "us-east-1"
PAGE = 100
CONFIGURATION = {
    "UnrecognizedClientException",
    "InvalidSignatureException",
    "AccessDeniedException",
    "InvalidClientTokenId",
    "MissingAuthenticationTokenException",
    "ExpiredTokenException",
}


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


class MTurk:
    """The protocol's requester, behind the seam."""

    fees = Fees(share=Decimal("0.20"), least=Decimal("0.01"))

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint

    def create_kind(self, kind: PostingKind) -> str:
        """CreateHITType: identical content gives the existing id."""
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
        """CreateHITWithHITType with one assignment; the key is token and annotation at once."""
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
        return _posted(reply["HIT"])

    def find_place(self, key: str) -> PostedPlace | None:
        """The HIT whose annotation is ``key``; pages through the account's HITs."""
        return next((place for place in self.places() if place.key == key), None)

    def place(self, crowd_id: str) -> PostedPlace:
        """GetHIT."""
        return _posted(self._call("get_hit", HITId=crowd_id)["HIT"])

    def close_place(self, crowd_id: str) -> None:
        """UpdateExpirationForHIT to now; a place that is closed already is a success."""
        try:
            self._call("update_expiration_for_hit", effect=True, HITId=crowd_id, ExpireAt=0)
        except CrowdAlready:
            return

    def places(self) -> Iterator[PostedPlace]:
        """ListHITs, to its end."""
        for page in self._pages("list_hits"):
            yield from (_posted(hit) for hit in page["HITs"])

    def submissions(self, place_crowd_id: str) -> list[CrowdSubmission]:
        """ListAssignmentsForHIT, to its end, before anything is done with them."""
        pages = self._pages("list_assignments_for_hit", HITId=place_crowd_id)
        return [_submitted(row) for page in pages for row in page["Assignments"]]

    def approve(self, assignment_id: str) -> None:
        """ApproveAssignment; one that is approved already is a success."""
        try:
            self._call("approve_assignment", effect=True, AssignmentId=assignment_id)
        except (CrowdNever, CrowdAlready):
            found = self._call("get_assignment", AssignmentId=assignment_id)["Assignment"]
            if found["AssignmentStatus"] == "Submitted":  # fresh ones cannot be reviewed for some minutes
                raise CrowdLater(
                    f"{assignment_id} cannot be approved yet.", "It is tried again by itself."
                ) from None
            if found["AssignmentStatus"] != "Approved":
                raise

    def balance(self) -> Decimal:
        """GetAccountBalance: what is available."""
        return Decimal(self._call("get_account_balance")["AvailableBalance"])

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
                f"{operation} has an effect on the crowd and must not run inside a transaction"
            )
        limiter().wait(self.endpoint)
        client = _client(self.endpoint, *launcher.crowd_keys(), settings.CROWD_TIMEOUT_SECONDS)
        try:
            reply: dict[str, Any] = getattr(client, operation)(**request)
        except (ClientError, BotoCoreError) as error:
            crowd_error = translated(error, self.endpoint)
            if isinstance(crowd_error, CrowdThrottled):
                limiter().throttled(self.endpoint)
            raise crowd_error from error
        return reply


def translated(error: ClientError | BotoCoreError, endpoint: str) -> CrowdError:
    """The error of ours that says whether trying again can help."""
    if not isinstance(error, ClientError):
        return CrowdLater(
            f"The crowd at {endpoint} does not answer: {error}.", "It is tried again by itself."
        )
    said = error.response.get("Error", {})
    code, message = said.get("Code", ""), said.get("Message", "")
    detail = str(error.response.get("TurkErrorCode") or said.get("TurkErrorCode") or "")
    status = int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
    words = f"{code} {detail}: {message}".replace(" :", ":")
    if "alreadyexists" in f"{code}{detail}".lower() or "already been processed" in message.lower():
        found = re.search(r"\b[A-Z0-9]{20,64}\b", message)
        return CrowdAlready(words, found.group(0) if found else "")
    if "insufficientfunds" in f"{code}{detail}".lower():
        return CrowdMoney(words, "Put money on the crowd's account, then run the same command again.")
    if code in CONFIGURATION:
        return CrowdConfiguration(words, "Check the crowd's endpoint and keys (docs/settings.md).")
    if code in {"ThrottlingException", "RequestLimitExceeded"}:
        return CrowdThrottled(words, "Calls are made more slowly for a while; it is tried again by itself.")
    if status >= 500 or code == "ServiceFault":
        return CrowdLater(words, "It is tried again by itself.")
    return CrowdNever(words, "Look at what was asked; the same call will be refused again.")


def _posted(hit: dict[str, Any]) -> PostedPlace:
    taken = hit["MaxAssignments"] - hit["NumberOfAssignmentsAvailable"] - hit["NumberOfAssignmentsPending"]
    return PostedPlace(
        crowd_id=hit["HITId"],
        key=hit.get("RequesterAnnotation", ""),
        expires_at=hit.get("Expiration"),
        open=hit["HITStatus"] in ("Assignable", "Unassignable"),
        has_submission=taken > 0,
        held=hit["NumberOfAssignmentsPending"] > 0,
    )


def _submitted(row: dict[str, Any]) -> CrowdSubmission:
    try:
        answers = parse_answers(row.get("Answer", ""))
    except ValueError:
        answers = {}  # garbled by the sender: what we saved at each click stands
    return CrowdSubmission(
        assignment_id=row["AssignmentId"],
        place_crowd_id=row["HITId"],
        crowd_worker_id=row["WorkerId"],
        status=row["AssignmentStatus"],
        submitted_at=row.get("SubmitTime"),
        auto_approval_at=row.get("AutoApprovalTime"),
        answers=answers,
    )
