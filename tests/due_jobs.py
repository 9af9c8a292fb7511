"""Runs background jobs in the process of a test."""

import time

from config import clock
from config.background.followed_jobs import work_off_what_is_due
from config.background.models import Job


def work_off_everything(*, until_seconds: float = 0) -> int:
    """Run every job that is due now or within ``until_seconds``, in this process. Return the number of jobs run."""
    done = 0
    deadline = clock.now().timestamp() + until_seconds
    while True:
        done += work_off_what_is_due()
        waiting = Job.objects.live().order_by("run_after").first()
        if waiting is None or waiting.run_after.timestamp() > deadline:
            return done
        time.sleep(0.1)
