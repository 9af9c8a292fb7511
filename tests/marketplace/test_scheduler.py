"""The scheduler's threads, and stopping the server."""

import subprocess
import sys
import threading
from datetime import timedelta

import httpx
import pytest

from marketplace import clock, scheduler
from marketplace.models import Hit
from tests.contract.endpoint import start_marketplace
from tests.marketplace.conftest import make_hit
from tests.waiting import PATIENCE_SECONDS, wait_until


@pytest.mark.django_db(transaction=True)
def test_a_hit_expires_without_anybody_asking(ask, hit_type, settings):
    settings.TICK_SECONDS = 0.05
    make_hit(ask, hit_type, at=clock.now() - timedelta(seconds=60), LifetimeInSeconds=61)

    assert Hit.objects.get().status == "Assignable"
    stop = scheduler.start_scheduler()
    try:
        wait_until(lambda: Hit.objects.get().status == "Reviewable")
    finally:
        stop.set()
        [thread.join(5) for thread in threading.enumerate() if thread.name.startswith("marketplace-")]


def test_a_server_ends_with_the_process_that_started_it(tmp_path):
    port_file = tmp_path / "port"
    program = (
        ""
        "from pathlib import Path\n"
        "import tests.contract.endpoint as contract\n"
        f"process, port = contract.start_marketplace(Path({str(tmp_path)!r}), '--until-parent-exits')\n"
        "assert contract.answers(f'http://127.0.0.1:{port}/healthz')\n"
        f"Path({str(port_file)!r}).write_text(str(port))\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=PATIENCE_SECONDS)
    address = f"http://127.0.0.1:{port_file.read_text()}/healthz"

    def gone():
        try:
            httpx.get(address, timeout=1)
        except httpx.TransportError:
            return True
        return False

    wait_until(gone)


def test_a_restarted_server_keeps_its_data_and_its_key(tmp_path):
    key_file = tmp_path / "marketplace-key.json"
    keys = []
    for _ in range(2):
        process, port = start_marketplace(tmp_path)
        keys.append(key_file.read_text().replace(str(port), "PORT"))
        process.terminate()
        assert process.wait(timeout=60) == 0

    assert keys[0] == keys[1]
