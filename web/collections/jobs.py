from typing import Any

from accounts.models import User
from config.background.job_kinds import Progress, job_kind
from config.background.models import Job
from config.background.services import start
from web.collections import sample

SAMPLE = "web.load_sample"


def ring_for_sample(user: int, *, judged: bool = False) -> Job:
    """Start loading the sample for this person; only one load runs at a time.

    ``judged``: simulated workers also judge it, and a version is published.
    """
    return start(SAMPLE, arguments={"user_id": user, "judged": judged})


def sample_under_way() -> Job | None:
    """Return the job that is loading the sample, whoever started it; None if there is none."""
    return Job.objects.live().filter(kind=SAMPLE).first()


@job_kind(SAMPLE, max_attempts=1)
def load_sample_job(*, progress: Progress, user_id: int, judged: bool = False) -> dict[str, Any]:
    user = User.objects.get(pk=user_id)
    collection = sample.load(user, progress=progress)
    if judged:
        sample.judge(collection, user, progress=progress)
    return {"collection": collection.name}
