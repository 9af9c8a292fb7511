"""Probes: liveness, readiness and metrics."""

from types import SimpleNamespace

import pytest
from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder

from config.background.models import Job
from config.background.services import start
from config.monitoring import health
from tests.config.reading import numbers
from tests.s3_server import KEYS, S3Server, stored_on

pytestmark = pytest.mark.django_db


@pytest.fixture
def production(settings):
    """Production's additional settings: one host name, HTTPS for everybody."""
    settings.ALLOWED_HOSTS = ["judging.example.org"]
    settings.SECURE_SSL_REDIRECT = True
    return settings


@pytest.mark.parametrize("address", ["/healthz", "/readyz", "/metrics"])
def test_probes_work_under_any_host_name_over_plain_http(client, production, address):
    assert client.get(address, headers={"host": "10.0.0.7:8410"}).status_code == 200
    assert client.get("/", headers={"host": "10.0.0.7:8410"}).status_code != 200


def test_ready_names_every_part(client):
    reply = client.get("/readyz")

    assert reply.json()["status"] == "ready"
    assert set(reply.json()["parts"]) == {"database", "redis", "broker", "storage"}


def test_a_migration_that_is_missing_makes_it_not_ready(client):
    last = MigrationRecorder.Migration.objects.filter(app="judging").order_by("-name").first()
    MigrationRecorder(connection).record_unapplied("judging", last.name)

    reply = client.get("/readyz")

    assert reply.status_code == 503
    assert "manage.py migrate" in reply.json()["status"]


def test_a_database_that_does_not_answer_makes_it_not_ready(client, monkeypatch):
    def refused(*_args, **_options):
        raise DatabaseError("no")

    with connection.execute_wrapper(refused):
        reply = client.get("/readyz")

    assert reply.status_code == 503
    assert reply.json()["parts"]["database"] == "the database does not answer"
    assert reply.json()["parts"]["storage"] == "ok"


@pytest.mark.parametrize(("setting", "part"), [("REDIS_URL", "redis"), ("CELERY_BROKER_URL", "broker")])
def test_a_service_that_does_not_answer_makes_it_not_ready(client, settings, setting, part, monkeypatch):
    from config.celery import app

    address = "redis://:secret@127.0.0.1:1/0"
    setattr(settings, setting, address)
    monkeypatch.setattr(app.conf, "broker_write_url", address)

    reply = client.get("/readyz")

    assert reply.status_code == 503
    assert setting in reply.json()["parts"][part]
    assert b"secret" not in reply.content


def test_a_folder_that_takes_no_files_makes_it_not_ready(client, settings):
    settings.RUNS_DIR.parent.mkdir(parents=True, exist_ok=True)
    settings.RUNS_DIR.write_text("a file where a folder should be")

    reply = client.get("/readyz")

    assert reply.status_code == 503
    assert "PREFEREE_DATA_DIR" in reply.json()["parts"]["storage"]


def test_readiness_checks_the_bucket_of_runs(client, settings, tmp_path, monkeypatch):
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    server = S3Server(tmp_path)
    try:
        stored_on(settings, server.url, "missing")
        without_bucket = client.get("/readyz")
        server.make("missing")
        with_bucket = [client.get("/readyz").json()["parts"]["storage"] for _ in range(3)]
        stored = server.keys("missing")
    finally:
        server.close()
    away = client.get("/readyz")

    assert without_bucket.status_code == 503
    assert "PREFEREE_S3_BUCKET" in without_bucket.json()["parts"]["storage"]
    assert with_bucket == ["ok", "ok", "ok"]
    assert stored == [".ready"]
    assert [line.split()[0] for line in server.requests()].count(
        "PUT"
    ) == 3  # one failed, the bucket, the file
    assert "PREFEREE_S3_ENDPOINT" in away.json()["parts"]["storage"]


def test_readiness_writes_no_file(client, settings, monkeypatch):
    settings.RUNS_DIR.mkdir()
    before = settings.RUNS_DIR.stat().st_mtime_ns  # changes whenever a file is created in it, even briefly

    assert client.get("/readyz").status_code == 200

    assert settings.RUNS_DIR.stat().st_mtime_ns == before


def test_a_full_disk_makes_it_not_ready(client, monkeypatch):
    monkeypatch.setattr(health.os, "statvfs", lambda _folder: SimpleNamespace(f_bavail=0))

    reply = client.get("/readyz")

    assert reply.status_code == 503
    assert reply.json()["parts"]["storage"] == "the disk for files is full (PREFEREE_DATA_DIR)"


def test_metrics_without_a_token_are_for_this_machine_only(client):
    assert client.get("/metrics").status_code == 200
    assert client.get("/metrics", REMOTE_ADDR="192.0.2.7").status_code == 403
    assert client.get("/metrics", REMOTE_ADDR="").status_code == 403


@pytest.mark.parametrize("header", ["X-Forwarded-For", "X-Real-IP", "Forwarded", "X-Forwarded-Proto"])
def test_metrics_are_not_shown_through_a_proxy_on_the_same_machine(client, header):
    assert client.get("/metrics", headers={header: "192.0.2.7"}).status_code == 403


def test_metrics_require_the_token_if_one_is_set(client, settings):
    settings.METRICS_TOKEN = "open-sesame"

    assert client.get("/metrics").status_code == 403
    assert client.get("/metrics", headers={"Authorization": "Bearer open"}).status_code == 403
    shown = client.get("/metrics", headers={"Authorization": "Bearer open-sesame"}, REMOTE_ADDR="192.0.2.7")
    assert shown.status_code == 200


def test_requests_are_counted_by_view_and_status_not_by_address(client):
    key = ("preferee_requests_total", ("method", "GET"), ("status", "404"), ("view", "judging:arrive"))
    before = numbers(client.get("/metrics").content.decode()).get(key, 0)

    client.get("/judge/no-such-token/")

    reply = client.get("/metrics")
    assert numbers(reply.content.decode())[key] == before + 1
    assert b"no-such-token" not in reply.content


def test_jobs_are_shown_with_the_age_of_the_oldest(client):
    start("judging.collect_open_campaigns")
    Job.objects.create(kind="judging.collect", key="x", state=Job.State.FAILED)

    shown = numbers(client.get("/metrics").content.decode())

    assert shown["preferee_jobs", ("kind", "judging.collect_open_campaigns"), ("state", "waiting")] == 1
    assert shown["preferee_jobs", ("kind", "judging.collect"), ("state", "failed")] == 1
    assert shown["preferee_oldest_due_job_seconds",] >= 0
