"""Counts of several processes on one machine."""

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from config.monitoring.metrics import Count
from tests.config.reading import numbers

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = """
import os, sys
import django
django.setup()
from config.monitoring import metrics
metrics.share_counts()
THINGS = metrics.Count("things", "Things.", ("kind",))
for _ in range(int(sys.argv[1])):
    THINGS.add("good")
if os.fork() == 0:
    THINGS.add("good")
    os._exit(0)
os.wait()
from prometheus_client import CollectorRegistry
registry = CollectorRegistry()
registry.register(metrics._Shared())
sys.stdout.write(metrics._generated(registry).decode())
sys.stdout.flush()
sys.stdin.read()
"""


def start_counting(tmp_path, times):
    """Start a process that counts this often, as does a child process; both live until their input ends."""
    environment = {
        **os.environ,
        "PREFEREE_DATA_DIR": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    environment.pop("PROMETHEUS_MULTIPROC_DIR", None)
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(times)],
        cwd=ROOT,
        env=environment,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


def read_total(process) -> float:
    """Return the total that a process reports for all of them."""
    lines = []
    for line in process.stdout:
        lines.append(line)
        if line.startswith("things_total"):
            return numbers("".join(lines))["things_total", ("kind", "good")]
    raise AssertionError("".join(lines))


@pytest.mark.soak
def test_running_processes_add_up_and_ended_ones_are_removed(tmp_path):
    first = start_counting(tmp_path, 3)
    assert read_total(first) == 3 + 1
    second = start_counting(tmp_path, 4)
    assert read_total(second) == 3 + 1 + 4 + 1
    first.communicate("")
    second.communicate("")

    third = start_counting(tmp_path, 1)

    assert read_total(third) == 1 + 1
    third.communicate("")
    assert len(list((tmp_path / "metrics").iterdir())) == 1


def test_concurrent_first_counts_of_threads_are_not_lost():
    from prometheus_client import REGISTRY

    barrier = threading.Barrier(16)

    def count(things):
        barrier.wait()
        things.add("good")

    with ThreadPoolExecutor(16) as threads:
        for number in range(20):
            things = [Count(f"first_times_{number}", "Things.", ("kind",))] * 16
            list(threads.map(count, things))
            assert REGISTRY.get_sample_value(f"first_times_{number}_total", {"kind": "good"}) == 16
