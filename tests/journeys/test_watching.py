"""An installation with several processes: its metrics add up, and its log identifies nobody."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from config.process import launcher
from judging.exchange.link_tokens import link_token
from judging.models import Campaign, Choice, Submission
from tests.config.reading import numbers
from tests.judging.cast import Fair
from tests.judging.fake_crowd import FakeCrowd
from tests.provision import free_port

ROOT = Path(__file__).resolve().parents[2]
WORKER = "A2XK5J8Q0WVLMR"
SIGNATURE = f"1772366400000.{'5e' * 32}"
ASSIGNMENT = "3AAPLD8UCDBN7WWKT0WRPQDCVXTHTB"

pytestmark = [pytest.mark.soak, pytest.mark.journey, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def fair(monkeypatch, transactional_db) -> Fair:
    from judging import crowds

    panel = FakeCrowd()
    monkeypatch.setitem(crowds.FACTORIES, "fake", lambda endpoint: panel)
    return Fair(panel)


@pytest.fixture
def served(tmp_path, settings):
    """Web processes over this test's database that log everything as JSON; yields address and log."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    environment |= {
        "DATABASE_URL": launcher.database_url(),
        "PREFEREE_DATA_DIR": str(tmp_path / "served"),
        "PREFEREE_PUBLIC_URL": address,
        "SECRET_KEY": settings.SECRET_KEY,
        "PREFEREE_LOG_FORMAT": "json",
        "PREFEREE_LOG_LEVEL": "DEBUG",
    }
    command = [sys.executable, "manage.py", "run", "--web-only", "--processes", "2", "--threads", "2"]
    log = tmp_path / "log"
    with log.open("wb") as lines:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stderr=lines, start_new_session=True)
    try:
        launcher.wait_for(f"{address}/healthz", process, "web")
        yield address, log
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def whole_task(address: str, link: str, arrival: dict[str, str]) -> str:
    """Take a task, judge and submit it, with some mistakes; returns the page's token."""
    with httpx.Client(base_url=address, follow_redirects=True) as browser:
        page = str(browser.get(link, params=arrival).url)
        browser.post(f"{page}consent").raise_for_status()
        submission = Submission.objects.get(assignment_id=arrival["assignmentId"])
        for slot in submission.slots.all():
            form = {"slot": slot.number, "sequence": 0, "side": "left", "seconds": "1.0"}
            assert browser.post(f"{page}save", data=form).json() == {"saved": True}
            assert browser.post(f"{page}save", data=form).json() == {"saved": True}
        assert browser.post(f"{page}save", data={"slot": 99}).status_code == 409
        assert browser.get(f"{page}nowhere").status_code == 404
        assert browser.get(page[:-9] + "/").status_code == 404
        assert browser.get(link, params=arrival | {"workerId": ""}).status_code == 404
        assert browser.post(f"{page}finish", data={"comment": "fine"}).status_code == 200
        assert browser.post(f"{page}save", data={"slot": 1, "side": "left"}).status_code == 409
    return page.rstrip("/").rpartition("/")[2]


def test_a_task_is_counted_over_all_processes_and_logged_without_identities(fair, served):
    address, log = served
    campaign = fair.opened()
    # The web processes do not have the tests' crowd; this one, which signs no arrivals, is never called.
    Campaign.objects.update(crowd="mturk", endpoint="https://mturk-requester-sandbox.us-east-1.amazonaws.com")
    place = next(iter(fair.crowd.posted.values())).posted.crowd_id
    link = link_token(campaign.postings.get())
    arrival = {"assignmentId": ASSIGNMENT, "hitId": place, "workerId": WORKER, "arrivalSignature": SIGNATURE}

    token = whole_task(address, f"/judge/{link}/", arrival)

    # Every process returns the same values.
    readings = [numbers(httpx.get(f"{address}/metrics").text) for _ in range(6)]
    saved = Choice.objects.filter(slot__submission__assignment_id=ASSIGNMENT).count()
    for shown in readings:
        assert shown["preferee_choices_total", ("result", "kept")] == saved == 5
        assert shown["preferee_choices_total", ("result", "repeated")] == saved
        assert shown["preferee_leases_total", ("result", "taken")] == 1
        assert shown["preferee_tasks_sent_off_total",] == 1
        saves = ("preferee_requests_total", ("method", "POST"), ("status", "200"), ("view", "judging:save"))
        assert shown[saves] == 2 * saved
    written = log.read_text()
    lines = [json.loads(line) for line in written.splitlines()]
    assert sum(line.get("view") == "judging:save" for line in lines) == 2 * saved + 2
    assert any(line["logger"] == "gunicorn.error" for line in lines)
    for secret in (WORKER, ASSIGNMENT, SIGNATURE, token, link, token.partition("~")[2]):
        assert secret not in written
