"""Counts of several processes of a machine."""

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


def counting(tmp_path, times):
    """A process that counts so often, and so does a child of its; it lives until its input ends."""
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


def said(process) -> float:
    """What a process says of all of them."""
    lines = []
    for line in process.stdout:
        lines.append(line)
        if line.startswith("things_total"):
            return numbers("".join(lines))["things_total", ("kind", "good")]
    raise AssertionError("".join(lines))


@pytest.mark.soak
def test_processes_that_live_add_up_and_those_that_are_gone_are_forgotten(tmp_path):
    first = counting(tmp_path, 3)
    assert said(first) == 3 + 1
    second = counting(tmp_path, 4)
    assert said(second) == 3 + 1 + 4 + 1
    first.communicate("")
    second.communicate("")

    third = counting(tmp_path, 1)

    assert said(third) == 1 + 1
    third.communicate("")
    assert len(list((tmp_path / "metrics").iterdir())) == 1


def test_threads_that_count_for_the_first_time_at_once_count_all():
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
