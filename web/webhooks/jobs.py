import random
from typing import Any

from config.background.job_kinds import Progress, job_kind
from config.background.models import Job
from config.background.services import start
from web.webhooks import delivery

WEBHOOKS = "web.webhooks"
DELIVER = "web.deliver_webhooks"


@job_kind(WEBHOOKS, wanted=delivery.has_pending_work)
def webhooks_job(**_: Any) -> dict[str, Any]:
    """Create messages for new events, and start a job for each webhook with due messages."""
    made = delivery.write_messages()
    due = delivery.due_endpoints()
    for key in due:
        ring_for_webhook(key)
    return {"messages": made, "addresses": len(due)}


def ring_for_webhook(endpoint_id: int) -> Job:
    """Start sending due messages: one job per webhook, so that a slow webhook does not delay others."""
    return start(DELIVER, key=f"{DELIVER}:{endpoint_id}", arguments={"endpoint_id": endpoint_id})


@job_kind(DELIVER)
def deliver_webhooks(*, progress: Progress, endpoint_id: int) -> dict[str, Any]:
    """Send one webhook's due messages."""
    arrived = delivery.deliver_due(endpoint_id, rng=random.SystemRandom(), progress=progress)
    return {"arrived": arrived}


@job_kind("web.forget_webhooks")
def forget_webhooks(**_: Any) -> dict[str, Any]:
    """Delete messages and delivered events past the configured age."""
    return {"deleted": delivery.forget_old_deliveries()}
