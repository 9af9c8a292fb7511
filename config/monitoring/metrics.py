"""Metrics of the running processes, in Prometheus's text format (docs/maintenance.md, "Metrics").

Each process writes its counts to a folder that all processes of the machine share, where they are summed
(prometheus-client's multiprocess mode). States, such as the number of waiting jobs, are read from the database on
request, so every machine reports the same values.
"""

from __future__ import annotations

import os
import shutil
import socket
import struct
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.utils.module_loading import autodiscover_modules

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
#: Upper bounds of the histogram's buckets, in seconds. Pages must take less than 0.3 seconds.
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


# prometheus-client decides at import whether counts are shared, so it is imported at the first count.


@dataclass(frozen=True)
class Count:
    """A counter of events with labels."""

    name: str
    help: str
    labels: tuple[str, ...]

    def add(self, *values: str) -> None:
        from prometheus_client import Counter

        counter = _once(self, lambda: Counter(self.name, self.help, self.labels))
        (counter.labels(*values) if values else counter).inc()


@dataclass(frozen=True)
class Timing:
    """A histogram of durations in seconds, with labels."""

    name: str
    help: str
    labels: tuple[str, ...]

    def add(self, seconds: float, *values: str) -> None:
        from prometheus_client import Histogram

        histogram = _once(self, lambda: Histogram(self.name, self.help, self.labels, buckets=BUCKETS))
        histogram.labels(*values).observe(seconds)


@dataclass(frozen=True)
class State:
    """A metric that is read on request. ``values`` has a number for each combination of label values."""

    name: str
    help: str
    labels: tuple[str, ...] = ()
    values: dict[tuple[str, ...], float] = field(default_factory=dict)


StateReader = Callable[[], Iterable[State]]
_readers: list[StateReader] = []


def state_reader(reader: StateReader) -> StateReader:
    """Register a function that reads an app's states from the database. It belongs in the app's ``metrics.py``."""
    _readers.append(reader)
    return reader


_made: dict[Count | Timing, Any] = {}
_making = threading.Lock()


def _once(what: Count | Timing, make: Callable[[], Any]) -> Any:
    """Return prometheus-client's metric for ``what``. It is created only once, even if two threads ask at once."""
    if what not in _made:
        with _making:
            if what not in _made:
                _made[what] = make()
    return _made[what]


def share_counts() -> None:
    """Store the counts of this process, and of its forks, in the folder that this machine's processes share.

    Call it before the first count. It also removes the files of processes that have ended.
    """
    root: Path = settings.METRICS_DIR
    own = root / f"{socket.gethostname()}-{os.getpid()}"
    for folder in root.glob(f"{socket.gethostname()}-*"):
        if folder == own or not _process_lives(folder.name.rpartition("-")[2]):
            shutil.rmtree(folder, ignore_errors=True)
    own.mkdir(parents=True, exist_ok=True)
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(own)


def _process_lives(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except (ProcessLookupError, ValueError, OverflowError):
        return False
    except PermissionError:  # another user's process, so it is alive
        return True
    return True


def exposition() -> bytes:
    """Return all metrics in Prometheus's text format."""
    from prometheus_client import REGISTRY, CollectorRegistry, generate_latest

    autodiscover_modules("metrics")
    registry = CollectorRegistry()
    registry.register(_States())
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return generate_latest(REGISTRY) + generate_latest(registry)
    registry.register(_Shared())
    return _generated(registry)


def _generated(registry: CollectorRegistry) -> bytes:
    from prometheus_client import generate_latest

    for _ in range(5):
        try:
            return generate_latest(registry)
        except (FileNotFoundError, struct.error):
            continue  # a process just started or ended: its file was empty or gone
    return generate_latest(registry)


class _Shared:
    """Prometheus collector of the counts of all processes that share the folder."""

    def collect(self) -> Iterator[Any]:
        from prometheus_client.multiprocess import MultiProcessCollector

        files = [str(file) for file in settings.METRICS_DIR.glob("*/*.db")]
        return iter(MultiProcessCollector.merge(files))


class _States:
    """Prometheus collector of the states that the registered functions read from the database."""

    def collect(self) -> Iterator[Any]:
        from prometheus_client.core import GaugeMetricFamily

        for reader in _readers:
            for state in reader():
                family = GaugeMetricFamily(state.name, state.help, labels=state.labels)
                for values, number in sorted(state.values.items()):
                    family.add_metric(values, number)
                yield family
