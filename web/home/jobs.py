"""Background job that sends e-mails about other jobs."""

from typing import Any

from config.background.job_kinds import job_kind
from web.common import end_notices


@job_kind("web.mail_ended_work", wanted=end_notices.any_due)
def mail_ended_work(**_: Any) -> dict[str, Any]:
    """Send the requested e-mails of jobs that are over."""
    return {"sent": end_notices.send_end_notices()}
