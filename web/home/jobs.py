"""Background job that sends e-mails about other jobs."""

from typing import Any

from config.background.job_kinds import job_kind
from web.common import end_notices


@job_kind("web.mail_ended_work", wanted=end_notices.any_due)
def mail_ended_work(**_: Any) -> dict[str, Any]:
    """Send the e-mails that people asked for when a job is over."""
    return {"sent": end_notices.send_end_notices()}
