"""Send messages to workers, on their home page and, if their address is confirmed, also by e-mail."""

from collections.abc import Iterable
from datetime import datetime

from django.conf import settings

from marketplace.models import Requester, Worker, WorkerMessage
from marketplace.services import outbox


def message_workers(
    workers: Iterable[Worker], requester: Requester, subject: str, text: str, now: datetime
) -> None:
    """Send a requester's message to each of the workers."""
    workers = list(workers)
    WorkerMessage.objects.bulk_create(
        WorkerMessage(worker=worker, requester=requester, subject=subject[:200], text=text, sent_at=now)
        for worker in workers
    )
    for worker in workers:
        if worker.email and worker.email_confirmed_at is not None:
            signed = f"{text}\n\n-- \n{requester.name}, via {settings.PUBLIC_URL}\n"
            outbox.write_mail(worker.email, subject, signed, now)
