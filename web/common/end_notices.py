"""E-mails sent, if requested, when background work ends."""

import logging
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core import signing
from django.core.mail import send_mail
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.template.loader import render_to_string

from accounts.models import User
from accounts.services.user_lookup import mail_address_of
from config import clock
from config.background.job_kinds import job_kind, kind_words
from config.background.models import Job
from web.models import EndNotice

logger = logging.getLogger(__name__)
SALT = "web.end_notices"
#: How long a page's button is valid, and how long sending is retried if the mail server fails.
LASTS = timedelta(days=1)
ENDED = (Job.State.DONE, Job.State.FAILED)


def request_for(job: Job, page: str) -> str:
    """Return the signed request that a page's button sends, so that only somebody who saw the page can send it."""
    return signing.dumps([job.pk, page], salt=SALT)


def asked_by(user: Any, job: Job) -> bool:
    """Return whether this person requested an e-mail for the end of the job."""
    return EndNotice.objects.filter(user=user, job=job).exists()


def promise_notice(user: User, request: str) -> EndNotice | None:
    """Register a person's request for an e-mail at the end of a job. A repeated request changes nothing.

    Return None for an invalid or old request, if the job no longer exists, or if the person has no e-mail address.
    """
    try:
        key, page = signing.loads(request, salt=SALT, max_age=LASTS)
    except signing.BadSignature:
        return None
    job = Job.objects.filter(pk=key).first()
    if job is None or not mail_address_of(user):
        return None
    try:
        with transaction.atomic():
            return EndNotice.objects.create(job=job, user=user, page=page)
    except IntegrityError:
        return EndNotice.objects.get(job=job, user=user)


def due_notices() -> QuerySet[EndNotice]:
    """Return the notices whose jobs are over."""
    return EndNotice.objects.filter(job__state__in=ENDED)


def any_due() -> bool:
    """Return whether there is an e-mail to send."""
    return due_notices().exists()


def send_end_notices() -> int:
    """Send the e-mails of jobs that are over. Return the number sent.

    The e-mail reveals nothing that only the page may show, because the person may have lost access since.
    """
    sent = 0
    for notice in due_notices().select_related("job", "user").order_by("pk"):
        try:
            _mail_end(notice)
            sent += 1
        except OSError:  # any error of SMTP or the network
            logger.warning("The e-mail about job %s could not be sent.", notice.job_id, exc_info=True)
            if clock.now() - (notice.job.finished_at or notice.created_at) < LASTS:
                continue
        notice.delete()
    return sent


def _mail_end(notice: EndNotice) -> None:
    words = kind_words(notice.job.kind)
    ended = "is done" if notice.job.state == Job.State.DONE else "failed"
    title = f"{words[:1].upper()}{words[1:]} {ended}"
    text = render_to_string(
        "web/email/work_ended.txt",
        {"title": title, "failed": ended == "failed", "link": settings.PUBLIC_URL + notice.page},
    )
    send_mail(title, text, None, [mail_address_of(notice.user)])


@job_kind("web.mail_ended_work", wanted=any_due)
def mail_ended_work(**_: Any) -> dict[str, Any]:
    """Send the requested e-mails of jobs that are over."""
    return {"sent": send_end_notices()}
