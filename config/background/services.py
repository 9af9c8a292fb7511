"""Start jobs, run them, and wake workers again for jobs that no worker took."""

import logging
import os
import random
import socket
import threading
import traceback
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.db import IntegrityError, OperationalError, connection, transaction
from django.db.models import F, QuerySet

from config import clock
from config.background.errors import LeaseLost, TooMuchAsked
from config.background.failures import fault_of
from config.background.job_kinds import Progress, kind_named
from config.background.models import MOST_MESSAGE, AtWork, Job, JobQuerySet
from config.background.waits import wait_after
from config.errors import NotNow, Refusal
from config.monitoring.logs import masked

logger = logging.getLogger("preferee.jobs")
WORKER_NAME = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
PULSE_SECONDS = 3
#: Maximum number of waiting or running jobs of one kind that people can have in one collection.
MOST_AT_ONCE = 20


class TryLater(NotNow):
    """The job cannot continue now, so it is postponed (see NotNow). This does not use up an attempt."""

    def __init__(
        self, message: str, *, seconds: float, longest: float = 0, got_on: bool = False, next_step: str = ""
    ) -> None:
        super().__init__(message, next_step)
        self.seconds, self.longest, self.got_on = seconds, longest, got_on


def start(kind: str, *, key: str = "", arguments: dict[str, Any] | None = None) -> Job:
    """Record a job and wake a worker after commit. If a live job has the same key, return that job instead.

    ``key`` defaults to the kind, so that only one job of that kind is live at a time.
    """
    kind_named(kind)
    key = key or kind
    for _ in range(5):
        try:
            with transaction.atomic():
                job = Job.objects.create(kind=kind, key=key, arguments=arguments or {}, run_after=clock.now())
        except IntegrityError:
            live = Job.objects.live().filter(key=key).first()
            if live is None:
                continue  # it has just ended: try to start a new one
            # Its input may have changed since it started, so it runs once more.
            Job.objects.filter(pk=live.pk, state=Job.State.RUNNING).update(rung_again=True)
            return live
        transaction.on_commit(partial(ring, job.pk))
        return job
    raise RuntimeError(f"No job could be started under the key {key!r}.")


def start_for(kind: str, *, key: str, arguments: dict[str, Any]) -> Job:
    """Start a job that any member can request as often as they like, under keys of their choice.

    The arguments include a ``collection_id``. Raises TooMuchAsked if the collection has MOST_AT_ONCE live jobs of
    this kind, because payments use the same queue.
    """
    live = Job.objects.live().filter(kind=kind)
    if not live.filter(key=key).exists():
        waiting = live.filter(arguments__collection_id=arguments["collection_id"]).count()
        if waiting >= MOST_AT_ONCE:
            raise TooMuchAsked(
                f"{waiting} jobs of this kind are in progress for this collection.",
                "Wait until some are done, then try again.",
            )
    return start(kind, key=key, arguments=arguments)


def hurry(jobs: JobQuerySet) -> int:
    """Bring forward the waiting jobs that are scheduled for later, so that they are due now; return their number.

    Used when somebody asks for the work, or may have fixed the cause of a failure.
    """
    now = clock.now()
    waiting = list(jobs.filter(state=Job.State.WAITING, run_after__gt=now).values_list("pk", flat=True))
    for job_id in waiting:
        Job.objects.filter(pk=job_id, state=Job.State.WAITING, run_after__gt=now).update(run_after=now)
        transaction.on_commit(partial(ring, job_id))
    return len(waiting)


def start_if_wanted(kind: str) -> Job | None:
    """Start a scheduled job of this kind, or return None if its ``wanted`` check finds no work."""
    wanted = kind_named(kind).wanted
    return start(kind) if wanted is None or wanted() else None


def ring(job_id: int) -> None:
    """Send a message that wakes a worker for the job. If it is lost, ring_due_jobs() sends another."""
    from config.background.tasks import work_off

    with suppress(Exception):  # any error of the broker: the sweep tries again
        work_off.delay(job_id)


def ring_due_jobs() -> int:
    """Wake workers for the oldest 200 jobs that are due and free. Return the number of these jobs."""
    due = list(Job.objects.leasable(clock.now()).order_by("run_after").values_list("pk", flat=True)[:200])
    for job_id in due:
        ring(job_id)
    return len(due)


def lease(job_id: int) -> Job | None:
    """Lease the job to this worker and return it. Return None if it is over, not due or leased to another worker."""
    now = clock.now()
    holder = f"{WORKER_NAME}:{uuid.uuid4().hex[:8]}"
    taken = (
        Job.objects.leasable(now)
        .filter(pk=job_id)
        .update(
            state=Job.State.RUNNING,
            leased_by=holder,
            leased_until=now + timedelta(seconds=settings.JOB_LEASE_SECONDS),
            heartbeat_at=now,
            attempts=F("attempts") + 1,
            rung_again=False,
        )
    )
    return Job.objects.get(pk=job_id) if taken else None


def free_from_the_dead(job: Job) -> bool:
    """End the job's lease if the process that held it was on this machine and is dead.

    Otherwise the job would wait until the lease expires. Return whether the lease was ended.
    """
    host, _, rest = job.leased_by.partition(":")
    number = rest.partition(":")[0]
    if job.state != Job.State.RUNNING or host != socket.gethostname() or not number.isdecimal():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return bool(_leased_row(job).update(leased_until=clock.now()))
    except PermissionError:  # another user's process, so it is alive
        pass
    return False


def _leased_row(job: Job) -> Any:
    return Job.objects.filter(pk=job.pk, state=Job.State.RUNNING, leased_by=job.leased_by)


def beat(job: Job, **changes: Any) -> None:
    """Extend the job's lease and save the changes to its fields. Raises LeaseLost if another worker has the job."""
    now = clock.now()
    until = now + timedelta(seconds=settings.JOB_LEASE_SECONDS)
    if not _leased_row(job).update(heartbeat_at=now, leased_until=until, **changes):
        raise LeaseLost(f"The job {job.kind} ({job.key}) is no longer held by this worker.")


@contextmanager
def _lease_kept_alive(job: Job) -> Iterator[None]:
    """Extend the job's lease from a separate thread while the block runs."""
    over = threading.Event()

    def keep() -> None:
        while not over.wait(settings.JOB_LEASE_SECONDS / 3):
            try:
                beat(job)
            except LeaseLost:
                break
            except OperationalError as error:  # for instance, SQLite is locked by the job's own transaction
                logger.warning("the lease of job %s was not extended: %s", job.pk, error)
            finally:
                connection.close()

    thread = threading.Thread(target=keep, name=f"lease of job {job.pk}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


class _JobProgress:
    """Callback that stores a job's progress and passes every call to the watcher.

    It stores progress at most about twice a second until ``done`` reaches ``total``, then every time.
    """

    def __init__(self, job: Job, watcher: Progress | None) -> None:
        self.job = job
        self.watcher = watcher
        self.written_at = clock.now() - timedelta(seconds=1)

    def __call__(self, done: int, total: int, message: str = "") -> None:
        if self.watcher:
            self.watcher(done, total, message)
        now = clock.now()
        if done < total and now - self.written_at < timedelta(seconds=0.5):
            return
        self.written_at = now
        beat(self.job, progress_done=done, progress_total=total, progress_message=message[:MOST_MESSAGE])


def run_job(job_id: int, *, watcher: Progress | None = None) -> bool:
    """Lease and run the job. Return whether this worker ran it, even if it failed.

    ``watcher`` is called with the job's progress.
    """
    job = lease(job_id)
    if job is None:
        return False
    try:
        kind = kind_named(job.kind)
        if job.attempts > kind.max_attempts:
            _fail_job(job, "worker-died", trace="Every worker that took this job died or lost its lease.")
            return True
        with _lease_kept_alive(job):
            result = kind.body(progress=_JobProgress(job, watcher), **job.arguments)
    except LeaseLost:
        return True
    except NotNow as later:
        _postpone(job, later)
    except Refusal as refusal:
        _fail_job(job, type(refusal).__name__, refusal)
    except Exception as error:
        _retry_or_fail(job, kind.max_attempts, error)
    else:
        _finish_job(job, result)
    return True


def _postpone(job: Job, later: NotNow) -> None:
    """Postpone the job by ``later.seconds``.

    If ``later.longest`` is set, the wait grows with each postponement in a row.
    """
    times, wait = 1 if later.got_on else job.put_off + 1, later.seconds
    if later.longest:
        wait = wait_after(times, first=wait, longest=later.longest, rng=random.SystemRandom())
    _log_outcome(job, logging.INFO, "later")
    _leased_row(job).update(
        state=Job.State.WAITING,
        run_after=clock.now() + timedelta(seconds=wait),
        put_off=times,
        attempts=F("attempts") - 1,
        trace="",
        progress_message=later.message[:MOST_MESSAGE],
        next_step=later.next_step,
    )


def _finish_job(job: Job, result: dict[str, Any] | None) -> None:
    now = clock.now()
    _log_outcome(job, logging.INFO, "done")
    well: dict[str, Any] = {"result": result, "failure": "", "fault": "", "trace": ""}
    if _leased_row(job).filter(rung_again=False).update(state=Job.State.DONE, finished_at=now, **well):
        return
    if _leased_row(job).update(state=Job.State.WAITING, run_after=now, attempts=0, put_off=0, **well):
        ring(job.pk)


def _log_outcome(
    job: Job, level: int, how: str, *, failure: str = "", error: Exception | None = None
) -> None:
    """Log a job's outcome. ``failure`` is only the error's class name, because its message may quote private data."""
    now = clock.now()
    fields = {
        "job": job.pk,
        "kind": job.kind,
        "key": job.key,
        "outcome": how,
        "attempts": job.attempts,
        "seconds": round((now - (job.heartbeat_at or now)).total_seconds(), 3),
    }
    words = f"{how}: {failure}" if failure else how
    fields |= {"failure": failure}
    logger.log(level, "%s %s (job %s)", job.kind, words, job.pk, extra={"fields": fields}, exc_info=error)


def _fail_job(
    job: Job,
    failure: str,
    refusal: Refusal | None = None,
    *,
    fault: Job.Fault = Job.Fault.SOFTWARE,
    trace: str = "",
    error: Exception | None = None,
) -> None:
    """Mark the job as failed. A refusal's message is for everyone, an error's ``trace`` only for administrators."""
    _log_outcome(job, logging.ERROR, "failed", failure=failure, error=error)
    _leased_row(job).update(
        state=Job.State.FAILED,
        failure=failure[:80],
        fault=fault if refusal is None else fault_of(refusal),
        failure_message=refusal.message if refusal else "",
        next_step=refusal.next_step if refusal else "",
        trace=trace,
        finished_at=clock.now(),
    )


def _retry_or_fail(job: Job, max_attempts: int, error: Exception) -> None:
    trace = masked("".join(traceback.format_exception(error)))[-8000:]
    name, fault = type(error).__name__, fault_of(error)
    if job.attempts >= max_attempts:
        _fail_job(job, name, fault=fault, trace=trace, error=error)
        return
    _log_outcome(job, logging.WARNING, "tried again", failure=name, error=error)
    wait = timedelta(seconds=min(2**job.attempts, 60))
    _leased_row(job).update(
        state=Job.State.WAITING, run_after=clock.now() + wait, failure=name[:80], fault=fault, trace=trace
    )


def pulse() -> None:
    """Record that this process runs jobs."""
    now = clock.now()
    _, new = AtWork.objects.update_or_create(name=WORKER_NAME, defaults={"pulse_at": now})
    if new:  # remove processes that were killed
        AtWork.objects.filter(pulse_at__lt=now - timedelta(days=1)).delete()


def leave_work() -> None:
    """Remove this process from the list of processes that run jobs."""
    AtWork.objects.filter(name=WORKER_NAME).delete()


def somebody_at_work() -> bool:
    """Return whether another process is running jobs."""
    return running_processes().exclude(name=WORKER_NAME).exists()


def nobody_at_work() -> str:
    """Return a sentence saying that no process runs jobs, or "" if one does."""
    return "" if running_processes().exists() else "No background worker is running."


#: The next step if no process runs jobs.
START_WORKERS = "Start the product: make run, or the worker and scheduler services."


def running_processes() -> QuerySet[AtWork]:
    """Return the processes that run jobs and have a recent heartbeat."""
    return AtWork.objects.filter(pulse_at__gte=clock.now() - timedelta(seconds=PULSE_SECONDS * 4))


def take_back(jobs: QuerySet[Job], why: Refusal) -> bool:
    """Cancel the waiting jobs that have used no attempt, for the reason ``why``. Return whether there were any."""
    waiting = jobs.filter(state=Job.State.WAITING, attempts=0)
    ended = {"state": Job.State.FAILED, "failure": "TakenBack", "fault": Job.Fault.REFUSED}
    said = {"failure_message": why.message, "next_step": why.next_step}
    now = clock.now()
    return bool(waiting.update(**ended, **said, finished_at=now, put_away_at=now))


def try_again(job: Job) -> Job:
    """Start a new job with the kind, key and arguments of a failed one, and return it.

    If ``job`` has not failed, return ``job`` itself. If a later job with its key is live or has succeeded, return the
    later job.
    """
    if job.state != Job.State.FAILED:
        return job
    later = Job.objects.filter(key=job.key, pk__gt=job.pk).exclude(state=Job.State.FAILED).order_by("-pk")
    return later.first() or start(job.kind, key=job.key, arguments=job.arguments)
