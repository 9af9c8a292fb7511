"""Workers' own data: export everything held about a person, or delete the account."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from marketplace.models import Assignment, Departure, Outgoing, Worker, WorkerBlock
from marketplace.rules import money
from marketplace.services.operator import erasure, payouts
from marketplace.services.worker import groups, tasks as taking
from marketplace.services.worker.in_review import InReview, in_review_of


@dataclass(frozen=True)
class Leaving:
    """The tasks and the money, in cents, that the deletion of a worker's account affects.

    Tasks that the worker holds (``held``) will be returned. If the worker agrees, the pay for tasks ``in_review`` and
    ``open_cents`` will be given up. A payout on its way must be completed first.
    """

    held: list[Assignment]
    in_review: InReview
    on_its_way_cents: int
    open_cents: int

    @property
    def must_wait(self) -> bool:
        """True while a payout on its way prevents the deletion."""
        return bool(self.on_its_way_cents)

    @property
    def given_up(self) -> str:
        """The money that the worker loses by deleting the account now, in words; empty if none is lost."""
        lost = []
        if self.open_cents:
            lost.append(f"the ${money.protocol_amount(self.open_cents)} that has not been paid out to me")
        if self.in_review.count:
            tasks = "the task" if self.in_review.count == 1 else f"the {self.in_review.count} tasks"
            lost.append(f"the pay for {tasks} in review ({self.in_review.total})")
        return ", and ".join(lost)


def leaving_of(worker: Worker) -> Leaving:
    """Return the tasks and the money that are affected if a worker's account is deleted now."""
    standing = payouts.payout_standing(worker)
    return Leaving(
        held=groups.held_tasks(worker),
        in_review=in_review_of(worker),
        on_its_way_cents=standing.on_its_way,
        open_cents=0 if worker.is_program else standing.open,
    )


@transaction.atomic
def delete_account(worker: Worker, now: datetime, *, waive: bool) -> None:
    """Return open tasks and forget the worker, both or neither. Raises AccountRefused or TaskRefused."""
    for held in groups.held_tasks(worker):
        taking.return_task(worker, held.assignment_id, now)
    erasure.erase_worker(worker, now, waive=waive)


def everything_about(worker: Worker) -> dict[str, Any]:
    """Return everything the site holds about a worker, JSON-ready: amounts in dollars, times in UTC.

    Excludes the password's hash, and the reasons for blocks, which the protocol hides from workers.
    """
    invitation = getattr(worker, "invitation", None)
    return {
        "account": _account_data(worker),
        "invitation": None
        if invitation is None
        else _field_values(invitation, "email", "note", "country", "made_at", "used_at"),
        "tasks": [_task_data(row) for row in _assignments_by_worker(worker)],
        "tasks_left": [
            _field_values(row, "kind", "accepted_at", "left_at")
            | {"task": row.assignment.assignment_id, "bonuses": _bonus_data(row.assignment)}
            for row in _departures_of(worker)
        ],
        "payouts": [
            _field_values(row, "reference", "state", "decided_at", "note")
            | {"batch": row.batch.name, "amount": money.protocol_amount(row.amount_cents)}
            for row in worker.payouts.select_related("batch").order_by("pk")
        ],
        "messages": [
            _field_values(row, "subject", "text", "sent_at", "read_at") | {"from": row.requester.name}
            for row in worker.messages.select_related("requester").order_by("pk")
        ],
        "letters": [
            _field_values(row, "text", "written_at") | {"to": row.requester.name}
            for row in worker.letters.select_related("requester").order_by("pk")
        ],
        "qualifications": _qualification_data(worker),
        "requesters_that_offer_no_tasks": [
            {"requester": row.requester.name, "since": row.created_at.isoformat()}
            for row in WorkerBlock.objects.filter(worker=worker).select_related("requester").order_by("pk")
        ],
        "e_mails": [
            _field_values(row, "destination", "subject", "body", "made_at", "sent_at")
            for row in _mails_to_worker(worker)
        ],
    }


def _account_data(worker: Worker) -> dict[str, Any]:
    names = (
        "worker_id username email email_confirmed_at country country_by_operator subdivision languages "
        "payout_method payout_details is_adult is_master is_active is_program created_at last_login "
        "submitted_count approved_count rejected_count"
    )
    return _field_values(worker, *names.split()) | {"earned": money.protocol_amount(worker.earned_cents)}


def _assignments_by_worker(worker: Worker) -> list[Assignment]:
    rows = worker.assignments.select_related("hit__hit_type__requester").prefetch_related("bonuses")
    return list(rows.order_by("pk"))


def _task_data(row: Assignment) -> dict[str, Any]:
    times = ("accepted_at", "submitted_at", "approved_at", "rejected_at")
    return _field_values(row, "assignment_id", "status", *times, "answer", "feedback") | {
        "title": row.hit.hit_type.title,
        "requester": row.hit.hit_type.requester.name,
        "reward": money.protocol_amount(row.hit.hit_type.reward_cents),
        "bonuses": _bonus_data(row),
    }


def _departures_of(worker: Worker) -> list[Departure]:
    rows = Departure.objects.filter(worker=worker).select_related("assignment")
    return list(rows.prefetch_related("assignment__bonuses").order_by("pk"))


def _bonus_data(row: Assignment) -> list[dict[str, Any]]:
    return [
        _field_values(bonus, "reason", "granted_at") | {"amount": money.protocol_amount(bonus.amount_cents)}
        for bonus in row.bonuses.all()
    ]


def _qualification_data(worker: Worker) -> dict[str, Any]:
    held = worker.qualifications.select_related("qualification_type__requester").order_by("pk")
    asked = worker.qualification_requests.select_related("qualification_type__requester").order_by("pk")
    return {
        "held": [
            _field_values(row, "value", "granted", "granted_at") | _qualification_type_data(row)
            for row in held
        ],
        "asked": [
            _field_values(row, "state", "submitted_at", "decided_at", "reason")
            | _qualification_type_data(row)
            for row in asked
        ],
    }


def _qualification_type_data(row: Any) -> dict[str, Any]:
    kind = row.qualification_type
    return {"description": kind.description, "requester": kind.requester.name}


def _mails_to_worker(worker: Worker) -> list[Outgoing]:
    if not worker.email:
        return []
    mails = Outgoing.objects.filter(transport=Outgoing.Transport.MAIL, destination__iexact=worker.email)
    return list(mails.order_by("pk"))


def _field_values(row: Any, *names: str) -> dict[str, Any]:
    values = {name: getattr(row, name) for name in names}
    return {
        name: value.isoformat() if isinstance(value, datetime) else value for name, value in values.items()
    }
