"""Jobs that can run only one at a time."""

from typing import Any

from config.background.models import Job
from config.background.services import start
from web.errors import AnotherUnderWay


def start_alone(kind: str, key: str, arguments: dict[str, Any], what: str) -> Job:
    """Start a job unless a job with other arguments is running. Raises AnotherUnderWay."""
    job = start(kind, key=key, arguments=arguments)
    if job.arguments != arguments:
        raise AnotherUnderWay(
            f"Another job for {what} is already running.", "Wait until it is done, then try again."
        )
    return job
