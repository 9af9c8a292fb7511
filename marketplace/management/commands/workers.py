from typing import Any

from marketplace.console import Command as Base
from marketplace.models import Worker
from marketplace.rules import money
from marketplace.services.operator import payouts


class Command(Base):
    help = "List every worker account: tasks, earnings and money not yet paid out."
    example = "python -m marketplace workers --json"
    listed = "workers"
    columns = ("username", "worker_id", "state", "submitted", "approved", "rejected", "earned", "unpaid")

    def act(self, **options: Any) -> dict[str, Any]:
        return {"workers": [_account_fields(row) for row in Worker.objects.order_by("username")]}


def _account_fields(row: Worker) -> dict[str, Any]:
    standing = payouts.payout_standing(row)
    return {
        "username": row.username,
        "worker_id": row.worker_id,
        "state": "forgotten" if row.forgotten_at else "open" if row.is_active else "closed",
        "program": row.is_program,
        "email": row.email,
        "email_confirmed": row.email_confirmed_at is not None,
        "country": row.country,
        "submitted": row.submitted_count,
        "approved": row.approved_count,
        "rejected": row.rejected_count,
        "earned": money.protocol_amount(standing.earned),
        "unpaid": money.protocol_amount(
            0 if row.is_program or row.forgotten_at else standing.earned - standing.paid
        ),
    }
