"""Jobs that can run only one at a time."""

from typing import Any

from config.background.models import Job
from config.background.services import start
from web.errors import AnotherUnderWay


def start_alone(kind: str, key: str, arguments: dict[str, Any], what: str) -> Job:
    """Start a job, or return the unfinished job if its arguments are the same.

    Raises AnotherUnderWay if the unfinished job has other arguments.
    """
    job = start(kind, key=key, arguments=arguments)
    if job.arguments != arguments:
        raise AnotherUnderWay(
            f"Another job for {what} has not finished.", "Wait until it is done, then try again."
        )
    return job
