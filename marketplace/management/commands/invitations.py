from typing import Any

from marketplace import clock
from marketplace.console import Command as Base
from marketplace.services.account import invitations


class Command(Base):
    help = "List every invitation and its state, newest first."
    example = "python -m marketplace invitations"
    listed, columns = "invitations", ("invitation", "state", "email", "note", "expires_at", "worker_id")

    def act(self, **options: Any) -> dict[str, Any]:
        now = clock.now()
        return {
            "invitations": [
                {
                    "invitation": row.pk,
                    "state": row.state(now),
                    "email": row.email,
                    "note": row.note,
                    "made_at": row.made_at.isoformat(),
                    "expires_at": row.expires_at.isoformat(),
                    "worker_id": row.worker.worker_id if row.worker else "",
                }
                for row in invitations.all_invitations()
            ]
        }
