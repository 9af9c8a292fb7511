from collections.abc import Iterator

from django.db.models import Count, Min

from config import clock
from config.background.models import Job
from config.background.services import running_processes
from config.monitoring.metrics import State, state_reader


@state_reader
def background() -> Iterator[State]:
    """Yield metrics of background work.

    These are the numbers of waiting, running and failed jobs, the age of the oldest due job, and the number of
    processes that run jobs.
    """
    now = clock.now()
    shown = [Job.State.WAITING, Job.State.RUNNING, Job.State.FAILED]
    rows = Job.objects.filter(state__in=shown).values_list("kind", "state").annotate(number=Count("pk"))
    yield State(
        "preferee_jobs",
        "Jobs that are waiting, running or failed.",
        ("kind", "state"),
        {(kind, state): number for kind, state, number in rows.order_by()},
    )
    oldest = Job.objects.leasable(now).aggregate(oldest=Min("run_after"))["oldest"]
    age = max((now - oldest).total_seconds(), 0.0) if oldest else 0.0
    yield State(
        "preferee_oldest_due_job_seconds",
        "Seconds since the oldest free job became due; 0 if no job is due.",
        values={(): age},
    )
    yield State(
        "preferee_processes_at_work",
        "Processes that run jobs, by their recent heartbeats.",
        values={(): running_processes().count()},
    )
