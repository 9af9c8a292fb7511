"""Waking workers in production: Celery on a real Redis, workers and web in different processes."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from config.background.models import Job
from config.background.services import start
from config.process import launcher
from tests.waiting import wait_until

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [
    pytest.mark.soak,
    pytest.mark.postgres_only,
    pytest.mark.journey,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        os.environ.get("PREFEREE_TEST_ON") == "sqlite", reason="SQLite runs the embedded parts"
    ),
]


@pytest.fixture
def production(tmp_path):
    """The environment of processes that share this test's database and a Redis broker."""
    redis = os.environ["REDIS_URL"].rpartition("/")[0]
    return {
        **os.environ,
        "DATABASE_URL": launcher.database_url(),
        "CELERY_BROKER_URL": f"{redis}/{5 + os.getpid() % 10}",
        "PREFEREE_DATA_DIR": str(tmp_path),
        "PREFEREE_JOB_LEASE_SECONDS": "2",
    }


@pytest.fixture
def start_worker(production):
    """Start `celery worker`, with or without the scheduler; ended after the test."""
    started = []

    def start_one(*, sweep_seconds):
        words = [
            "-m",
            "celery",
            "-A",
            "config",
            "worker",
            "-B",
            "--concurrency",
            "2",
            "--loglevel",
            "WARNING",
        ]
        words += ["--schedule", str(Path(production["PREFEREE_DATA_DIR"]) / f"beat-{len(started)}")]
        environment = {**production, "PREFEREE_JOB_SWEEP_SECONDS": str(sweep_seconds)}
        process = subprocess.Popen(
            [sys.executable, *words], cwd=ROOT, env=environment, start_new_session=True
        )
        started.append(process)
        return process

    yield start_one
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def wait_until_done(*jobs):
    def done():
        [job.refresh_from_db() for job in jobs]
        return all(job.state == Job.State.DONE for job in jobs)

    wait_until(done, lambda: [(job.key, job.state) for job in jobs])


def ring_from_another_process(environment):
    code = (
        "from config.background.services import start;"
        "print(start('judging.collect_open_campaigns', key='rung').pk)"
    )
    done = subprocess.run(
        [sys.executable, "manage.py", "shell", "-v", "0", "-c", code],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return Job.objects.get(pk=int(done.stdout.split()[-1]))


def test_a_job_rung_for_in_one_process_is_done_by_a_worker_in_another(production, start_worker):
    start_worker(sweep_seconds=3600)

    job = ring_from_another_process(production)

    wait_until_done(job)
    assert job.attempts == 1


def test_jobs_whose_message_was_lost_or_whose_worker_was_killed_are_swept_up(production, start_worker):
    # Its message went to a broker that no worker reads.
    lost, killed = (start("judging.collect_open_campaigns", key=key) for key in ("lost", "killed"))
    # The state left by a worker that was killed in the middle.
    Job.objects.filter(pk=killed.pk).update(
        state=Job.State.RUNNING, leased_by="killed", leased_until=killed.created_at, attempts=1
    )

    start_worker(sweep_seconds=1)
    killed.refresh_from_db()

    wait_until_done(lost, killed)
    assert (lost.attempts, killed.attempts) == (1, 2)
