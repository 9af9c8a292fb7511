"""The job table: one live job per key, leases, retries, named failures."""

import errno
import importlib
import os
import random
import socket
import subprocess
import sys
import threading
from datetime import timedelta

import pytest
from django.apps import apps
from django.db import OperationalError, connection

from config import clock
from config.background import followed_jobs, job_kinds, services
from config.background.errors import JobFailed, UnknownJobKind
from config.background.failures import failure_of
from config.background.models import AtWork, Job
from config.background.waits import wait_after
from config.errors import Refusal
from pooling.errors import BucketRefused
from tests.due_jobs import work_off_everything

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def quiet_bell(monkeypatch):
    """Send no messages to workers: these tests run jobs by hand."""
    rung = []
    monkeypatch.setattr(services, "ring", rung.append)
    return rung


@pytest.fixture
def kind(monkeypatch):
    """Register a job body for the duration of a test."""

    def register(body, *, max_attempts=3):
        monkeypatch.setitem(job_kinds._kinds, "test.kind", job_kinds.JobKind("test.kind", body, max_attempts))
        return "test.kind"

    return register


def test_a_job_runs_once_and_keeps_its_result(kind):
    job = services.start(kind(lambda progress, number: {"twice": number * 2}), arguments={"number": 21})

    first, second = services.run_job(job.pk), services.run_job(job.pk)

    job.refresh_from_db()
    assert (first, second) == (True, False)
    assert (job.state, job.result, job.attempts) == ("done", {"twice": 42}, 1)


def test_one_live_job_per_key(kind):
    name = kind(lambda progress: None)

    jobs = {services.start(name, key="same").pk for _ in range(3)}
    services.run_job(jobs.pop())
    after = services.start(name, key="same")

    assert Job.objects.filter(key="same").count() == 2
    assert after.state == "waiting"


def test_concurrent_starts_of_one_key_create_one_job(kind):
    name = kind(lambda progress: None)
    started, lock = [], threading.Barrier(4)

    def begin():
        lock.wait()
        started.append(services.start(name, key="race").pk)
        connection.close()

    threads = [threading.Thread(target=begin) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]

    assert len(started) == 4
    assert len(set(started)) == 1


def test_many_threads_lease_a_job_once(kind):
    job = services.start(kind(lambda progress: None))
    leased, lock = [], threading.Barrier(4)

    def take():
        lock.wait()
        leased.append(services.lease(job.pk))
        connection.close()

    threads = [threading.Thread(target=take) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]

    assert sum(one is not None for one in leased) == 1


def test_a_refusal_is_a_named_failure_with_the_next_step(kind):
    def refuse(progress):
        raise Refusal("The file is empty.", "Upload it again.")

    job = services.start(kind(refuse))

    with pytest.raises(JobFailed, match=r"The file is empty\. Upload it again\."):
        followed_jobs.attend(job)

    job.refresh_from_db()
    assert (job.state, job.failure, job.attempts) == ("failed", "Refusal", 1)


def test_an_error_is_retried_and_then_reported(kind):
    def stumble(progress):
        raise ZeroDivisionError("by nothing")

    job = services.start(kind(stumble, max_attempts=2))

    services.run_job(job.pk)
    job.refresh_from_db()
    waited = job.state
    with clock.shifted(timedelta(minutes=5)):
        services.run_job(job.pk)
    job.refresh_from_db()

    assert waited == "waiting"
    assert (job.state, job.failure, job.fault) == ("failed", "ZeroDivisionError", "software")
    assert "by nothing" in job.trace
    assert "by nothing" not in str(failure_of(job))
    assert f"job {job.pk}" in str(failure_of(job))


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (Refusal("Too long.", "Cut it."), "refused"),
        (BucketRefused("Wrong keys.", "Set others."), "outside"),
        (OSError(errno.ENOSPC, "No space left on device"), "outside"),
        (OperationalError("the connection is lost"), "outside"),
        (FileNotFoundError("/srv/secret"), "software"),
        (KeyError("secret"), "software"),
    ],
)
def test_a_job_records_who_is_responsible_and_quotes_only_refusals(kind, error, fault):
    def stumble(progress):
        raise error

    job = services.start(kind(stumble, max_attempts=1))
    services.run_job(job.pk)
    job.refresh_from_db()

    assert (job.state, job.fault) == ("failed", fault)
    told = str(failure_of(job))
    assert (str(error) in told) == isinstance(error, Refusal)
    assert "Traceback" not in told
    assert ("Traceback" in job.trace) != isinstance(error, Refusal)


def test_a_job_that_succeeds_in_the_end_reports_no_error(kind):
    failing = [True]

    def stumble(progress):
        if failing.pop():
            failing.append(False)
            raise KeyError("once")

    job = services.start(kind(stumble))
    services.run_job(job.pk)
    with clock.shifted(timedelta(minutes=5)):
        services.run_job(job.pk)

    job.refresh_from_db()
    assert (job.state, job.fault, job.failure, job.trace) == ("done", "", "", "")


def test_commands_report_errors_as_pages_do(kind):
    def stumble(progress):
        raise KeyError("secret")

    with pytest.raises(JobFailed, match="A software error") as failed:
        followed_jobs.attend(services.start(kind(stumble, max_attempts=1)))

    assert "secret" not in str(failed.value)


def test_administrators_find_the_traceback(kind, admin_client):
    def stumble(progress):
        raise KeyError("words for administrators")

    job = services.start(kind(stumble, max_attempts=1))
    services.run_job(job.pk)

    assert (
        "words for administrators"
        in admin_client.get(f"/admin/background/job/{job.pk}/change/").content.decode()
    )
    assert admin_client.get("/admin/background/job/", {"fault": "software"}).status_code == 200


def test_a_lapsed_lease_is_taken_over_and_the_first_holder_stops(kind):
    job = services.start(kind(lambda progress: None))
    first = services.lease(job.pk)

    with clock.shifted(timedelta(hours=1)):
        second = services.lease(job.pk)

    assert second is not None
    with pytest.raises(services.LeaseLost):
        services.beat(first)


def test_a_job_whose_workers_all_died_ends_in_a_named_failure(kind):
    job = services.start(kind(lambda progress: None, max_attempts=2))
    for hours in (0, 1):
        with clock.shifted(timedelta(hours=hours)):
            assert services.lease(job.pk)

    with clock.shifted(timedelta(hours=2)):
        services.run_job(job.pk)

    job.refresh_from_db()
    assert (job.state, job.failure) == ("failed", "worker-died")


def test_try_later_costs_no_attempt(kind):
    def wait(progress):
        raise services.TryLater("The crowd is busy.", seconds=30)

    job = services.start(kind(wait))

    services.run_job(job.pk)

    job.refresh_from_db()
    assert (job.state, job.attempts, job.progress_message) == ("waiting", 0, "The crowd is busy.")
    assert job.run_after > clock.now() + timedelta(seconds=20)


def test_waits_double_up_to_the_maximum_with_random_jitter():
    rng = random.Random(1)
    shortest = [5, 10, 20, 40, 60, 60]

    for times, least in enumerate(shortest, start=1):
        waits = {wait_after(times, first=5, longest=60, rng=rng) for _ in range(50)}
        assert least <= min(waits) < max(waits) <= 1.25 * least
    assert wait_after(10_000, first=5, longest=60, rng=rng) <= 75


def test_a_repeatedly_postponed_job_waits_longer_until_it_makes_progress(kind):
    got_on = [False, False, False, True]

    def wait(progress):
        raise services.TryLater("It is away.", seconds=100, longest=300, got_on=got_on.pop(0))

    job, seen = services.start(kind(wait)), []
    while got_on:
        Job.objects.update(run_after=clock.now())
        services.run_job(job.pk)
        job.refresh_from_db()
        seen.append((job.put_off, (job.run_after - clock.now()).total_seconds()))

    assert [times for times, _ in seen] == [1, 2, 3, 1]
    assert all(
        least - 50 < wait <= 1.25 * least for (_, wait), least in zip(seen, (100, 200, 300, 100), strict=True)
    )


def test_waiting_for_a_postponed_job_retries_it_at_once(kind):
    said = [services.TryLater("It is away.", seconds=3600)]

    def wait_once(progress):
        if said:
            raise said.pop()

    job = services.start(kind(wait_once))
    services.run_job(job.pk)

    assert followed_jobs.attend(Job.objects.get(pk=job.pk)).state == "done"


def test_ringing_while_a_job_runs_makes_it_run_once_more(kind):
    seen = []

    def look(progress):
        seen.append(1)
        if len(seen) == 1:
            services.start("test.kind", key="again")

    job = services.start(kind(look), key="again")

    services.run_job(job.pk)
    services.run_job(job.pk)

    job.refresh_from_db()
    assert len(seen) == 2
    assert job.state == "done"


def test_the_sweep_wakes_workers_for_jobs_that_none_took(kind, quiet_bell):
    job = services.start(kind(lambda progress: None))
    quiet_bell.clear()

    services.ring_due_jobs()

    assert quiet_bell == [job.pk]


def test_a_command_works_jobs_off_itself_when_nobody_is_at_work(kind):
    updates = []

    def count(progress):
        progress(1, 2, "half way")
        return {"done": True}

    job = followed_jobs.attend(services.start(kind(count)), progress=lambda *step: updates.append(step))

    assert job.result == {"done": True}
    assert (1, 2, "half way") in updates


def test_another_process_at_work_is_seen_by_its_pulse():
    AtWork.objects.create(name="elsewhere", pulse_at=clock.now())
    fresh = services.somebody_at_work()

    with clock.shifted(timedelta(minutes=1)):
        stale = services.somebody_at_work()

    assert (fresh, stale) == (True, False)


def test_an_unknown_kind_is_refused():
    with pytest.raises(UnknownJobKind, match=r"Unknown kind of job: .made\.up."):
        services.start("made.up")


def test_lease_of_a_process_that_was_killed_is_not_waited_for(kind, monkeypatch):
    done = []
    job = services.start(kind(lambda progress: done.append(True)))
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait(timeout=60)
    with monkeypatch.context() as patch:
        patch.setattr(services, "WORKER_NAME", f"{socket.gethostname()}:{gone.pid}:0123abcd")
        assert services.lease(job.pk)

    assert followed_jobs.attend(job).state == "done"
    assert done == [True]


@pytest.mark.parametrize(
    "holder",
    [f"{socket.gethostname()}:{os.getpid()}:ab:cd", "elsewhere:1:ab:cd", ""],
    ids=["living", "elsewhere", "nobody"],
)
def test_lease_of_a_living_process_or_of_another_machine_stays(kind, holder):
    job = services.lease(services.start(kind(lambda progress: None)).pk)
    Job.objects.update(leased_by=holder)
    job.refresh_from_db()

    assert not services.free_from_the_dead(job)
    assert services.lease(job.pk) is None


def test_a_job_may_run_the_schedule_without_waiting_for_itself(kind, settings, monkeypatch):
    done = []
    scheduled = job_kinds.JobKind("test.scheduled", lambda progress: done.append(True), 1)
    monkeypatch.setitem(job_kinds._kinds, "test.scheduled", scheduled)
    settings.CELERY_BEAT_SCHEDULE = {"one": {"args": ["test.scheduled"]}}
    job = services.start(kind(lambda progress: followed_jobs.run_schedule()))

    work_off_everything()

    job.refresh_from_db()
    assert job.state == Job.State.DONE
    assert done == [True]


def test_earlier_failures_are_described_by_their_fault():
    trace = "Traceback (most recent call last):\n  secret\nKeyError: secret"
    before = {
        "software": {"failure": "KeyError", "failure_message": trace, "next_step": "Report it."},
        "outside": {"failure": "CrowdConfiguration", "failure_message": "The key is wrong."},
        "refused": {"failure": "InvalidRunFile", "failure_message": "Line 3 is wrong."},
    }
    for fault, facts in before.items():
        Job.objects.create(kind="test.kind", key=fault, state="failed", **facts)
    Job.objects.create(kind="test.kind", key="waits", state="waiting", failure_message=trace)

    importlib.import_module("config.background.migrations.0005_fault").part(apps, connection.schema_editor())

    told = {
        job.key: (job.fault, "secret" in str(failure_of(job))) for job in Job.objects.filter(state="failed")
    }
    assert told == {fault: (fault, False) for fault in before}
    assert Job.objects.get(key="software").trace == Job.objects.get(key="waits").trace == trace
    assert not Job.objects.filter(failure_message__contains="Traceback").exists()
