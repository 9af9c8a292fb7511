import hashlib
import json
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction

from marketplace.errors import ParameterValidationError, RequestError
from marketplace.models import Hit, HitType, QualificationType, RequestToken, RequiredQualification
from marketplace.protocol import limits, requirements as qualifying
from marketplace.protocol.question import read_question
from marketplace.rules import money
from marketplace.services import events, funds, hit_state, request_tokens
from marketplace.services.call import Call
from marketplace.services.requester import descriptions
from marketplace.services.requester.list_pages import page

MOST_REQUIREMENTS = 10


def create_hit_type(call: Call) -> dict[str, Any]:
    """Create a HIT type, or return the requester's existing type with the same values."""
    return {"HITTypeId": _hit_type_of_values(call).type_id}


def create_hit(call: Call) -> dict[str, Any]:
    """Create a HIT. Its HIT type is created or, if one has the same values, reused."""
    return _create_hit(call, _hit_type_of_values(call))


def create_hit_with_hit_type(call: Call) -> dict[str, Any]:
    return _create_hit(call, find_type(call))


def get_hit(call: Call) -> dict[str, Any]:
    """Describe one of the requester's HITs."""
    return {"HIT": descriptions.hit(hit_of_call(call))}


def list_hits(call: Call) -> dict[str, Any]:
    """List the requester's HITs, newest first."""
    found = page(
        Hit.objects.of(call.requester).select_related("hit_type"), call, of="hits", newest_first=True
    )
    return found.answer("HITs", [descriptions.hit(row) for row in found.rows])


def list_reviewable_hits(call: Call) -> dict[str, Any]:
    status = call.request.get("Status", "Reviewable")
    rows = Hit.objects.filter(requester=call.requester, status=status).select_related("hit_type")
    kind = call.request.get("HITTypeId", "")
    if kind:
        rows = rows.filter(hit_type__type_id=kind)
    found = page(rows, call, of=f"reviewable {status} {kind}", newest_first=True)
    return found.answer("HITs", [descriptions.hit(row) for row in found.rows])


def delete_hit(call: Call) -> dict[str, Any]:
    """Delete a HIT that is over and whose submissions are all reviewed. Later calls do not find it."""
    with transaction.atomic():
        row = hit_state.lock(hit_of_call(call).pk)
        reviewable = row.status in (Hit.Status.REVIEWABLE, Hit.Status.REVIEWING)
        gone = reviewable and row.submitted == 0 and _dispose_hit(row)
        if not gone:
            raise _not_reviewable(row)
        events.emit("HITDisposed", row, at=call.now)
    return {}


def update_hit_review_status(call: Call) -> dict[str, Any]:
    """Mark a HIT as being reviewed, or remove the mark (Revert). Safe to repeat.

    The mark is only for the requester's own use.
    """
    back = call.request.get("Revert", False)
    row = hit_of_call(call)
    if not hit_state.set_review_status(row, Hit.Status.REVIEWABLE if back else Hit.Status.REVIEWING):
        raise _not_reviewable(row)
    return {}


def _not_reviewable(row: Hit) -> RequestError:
    return RequestError(
        "InvalidHITState",
        f"This HIT is currently in the state '{row.status}'.  "
        "This operation can be called with a status of: Reviewing, Reviewable",
    )


def update_hit_type_of_hit(call: Call) -> dict[str, Any]:
    """Change a HIT's type, and so its title, reward and so on, if nobody has taken a place yet."""
    kind = find_type(call)
    with transaction.atomic():
        row = hit_state.lock(hit_of_call(call).pk)
        cost = kind.reward_cents + money.reward_fee(kind.reward_cents, row.max_assignments)
        held = hit_state.retype(row, kind, cost)
        if held is None:
            raise RequestError(
                "InvalidHITState",
                f"The type of HIT {row.hit_id} cannot be changed: an assignment was already accepted.",
            )
        funds.move_funds(call.requester.pk, held=held)
    return {}


def list_review_policy_results_for_hit(call: Call) -> dict[str, Any]:
    """Return no results, because HITs with review policies are not accepted."""
    return {"HITId": hit_of_call(call).hit_id}


def _dispose_hit(row: Hit) -> int:
    return Hit.objects.filter(pk=row.pk, status=row.status, submitted=0).update(status=Hit.Status.DISPOSED)


def update_expiration_for_hit(call: Call) -> dict[str, Any]:
    """Change when a HIT expires. A past time expires it immediately; a later time opens it again."""
    at = call.request["ExpireAt"]
    if at > call.now + timedelta(seconds=limits.YEAR):
        raise ParameterValidationError("ExpireAt", at.isoformat(), "It must be within 365 days.")
    with transaction.atomic():
        row = hit_state.lock(hit_of_call(call).pk)
        over = at <= call.now
        if not (over and row.expiry_applied):
            events.emit("HITExpired" if over else "HITExtended", row, at=call.now)
        held = hit_state.change_hit(row, now=call.now, expired=over, expires_at=call.now if over else at)
        funds.move_funds(call.requester.pk, held=held)
    return {}


def create_additional_assignments_for_hit(call: Call) -> dict[str, Any]:
    """Add places to a HIT, at its original fee."""
    more = limits.number(call.request, "NumberOfAdditionalAssignments", 1, 1_000_000_000)
    with transaction.atomic():
        request_tokens.spend(call, RequestToken.Scope.EXTEND_HIT)
        row = hit_state.lock(hit_of_call(call).pk)
        if row.max_assignments < money.MANY_ASSIGNMENTS <= row.max_assignments + more:
            raise RequestError(
                "InvalidMaximumAssignmentsIncrease",
                "A HIT created with fewer than 10 assignments cannot be extended to 10 or more.",
            )
        if row.max_assignments + more > 1_000_000_000:
            raise ParameterValidationError("NumberOfAdditionalAssignments", more, "This is too many.")
        held = hit_state.change_hit(row, now=call.now, by={"available": more}, maximum=more)
        events.emit("HITExtended", row, at=call.now)
        funds.move_funds(call.requester.pk, held=held)
    return {}


def hit_of_call(call: Call) -> Hit:
    """Return the requester's HIT that a call names; raises HITDoesNotExist."""
    hit_id = call.request["HITId"]
    row = Hit.objects.of(call.requester).select_related("hit_type").filter(hit_id=hit_id).first()
    if row is None:
        raise RequestError("HITDoesNotExist", f"Hit {hit_id} does not exist.")
    return row


def find_type(call: Call) -> HitType:
    """Return the requester's HIT type that a call names; raises HITTypeDoesNotExist."""
    type_id = call.request["HITTypeId"]
    kind = HitType.objects.filter(requester=call.requester, type_id=type_id, deleted_at=None).first()
    if kind is None:
        raise RequestError("HITTypeDoesNotExist", f"HITType {type_id} does not exist.")
    return kind


def _hit_type_of_values(call: Call) -> HitType:
    request = call.request
    values: dict[str, Any] = {
        "title": limits.text(request, "Title", 128, least=1),
        "description": limits.text(request, "Description", 2000, least=1),
        "keywords": limits.text(request, "Keywords", 1000),
        "reward_cents": limits.amount(request, "Reward", least_cents=0),
        "assignment_seconds": limits.number(request, "AssignmentDurationInSeconds", 30, limits.YEAR),
        "auto_approval_seconds": limits.number(
            request, "AutoApprovalDelayInSeconds", 0, limits.MONTH, default=limits.MONTH
        ),
        "requirements": _checked_requirements(request),
    }
    digest = hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()
    with transaction.atomic():
        kind, made = HitType.objects.get_or_create(
            requester=call.requester, digest=digest, defaults={**values, "created_at": call.now}
        )
        if made:
            named = {requirement["QualificationTypeId"] for requirement in kind.requirements}
            RequiredQualification.objects.bulk_create(
                RequiredQualification(hit_type=kind, type_id=type_id) for type_id in sorted(named)
            )
    return kind


def _checked_requirements(request: dict[str, Any]) -> list[dict[str, Any]]:
    requirements: list[dict[str, Any]] = request.get("QualificationRequirements", [])
    if len(requirements) > MOST_REQUIREMENTS:
        raise ParameterValidationError(
            "QualificationRequirements", len(requirements), f"At most {MOST_REQUIREMENTS} are allowed."
        )
    for requirement in requirements:
        reason = qualifying.fault(requirement)
        if not reason and "RequiredToPreview" in requirement and "ActionsGuarded" in requirement:
            reason = "RequiredToPreview and ActionsGuarded exclude each other."
        if reason:
            raise ParameterValidationError("QualificationRequirements", requirement["Comparator"], reason)
    named = {requirement["QualificationTypeId"] for requirement in requirements} - set(
        qualifying.SYSTEM_NAMES
    )
    found = QualificationType.objects.known().filter(type_id__in=named)
    known = dict(found.values_list("type_id", "active"))
    for type_id in sorted(named):
        if type_id not in known:
            raise RequestError(
                "QualificationTypeDoesNotExist", f"QualificationType {type_id} does not exist."
            )
        if not known[type_id]:
            raise RequestError("InvalidQualificationTypeState", f"QualificationType {type_id} is inactive.")
    return requirements


def _create_hit(call: Call, kind: HitType) -> dict[str, Any]:
    request = call.request
    limits.unsupported(
        request, "HITLayoutId", "HITLayoutParameters", "AssignmentReviewPolicy", "HITReviewPolicy"
    )
    if "Question" not in request:
        raise ParameterValidationError("Question", "", "A HIT needs a question.")
    question = read_question(request["Question"], https_only=settings.REQUIRE_HTTPS_QUESTIONS)
    places = limits.number(request, "MaxAssignments", 1, 1_000_000_000, default=1)
    lifetime = limits.number(request, "LifetimeInSeconds", 30, limits.YEAR)
    annotation = limits.text(request, "RequesterAnnotation", 255)
    cost = kind.reward_cents + money.reward_fee(kind.reward_cents, places)
    with transaction.atomic():
        token = request_tokens.spend(call, RequestToken.Scope.CREATE_HIT)
        row = Hit.objects.create(
            requester=call.requester,
            hit_type=kind,
            question=request["Question"],
            external_url=question.url,
            frame_height=question.frame_height,
            annotation=annotation,
            max_assignments=places,
            available=places,
            unit_cost_cents=cost,
            created_at=call.now,
            expires_at=call.now + timedelta(seconds=lifetime),
        )
        request_tokens.remember_hit(token, row)
        events.emit("HITCreated", row, at=call.now)
        funds.move_funds(call.requester.pk, held=places * cost)
    return {"HIT": descriptions.hit(row)}
