"""Loaded before Django's settings: sets the addresses of the servers that the tests use.

``PREFEREE_TEST_ON=postgres`` (default): a real PostgreSQL and a real Redis, at the configured addresses
when something answers there, else private instances. ``PREFEREE_TEST_ON=sqlite``: the embedded parts.
"""

import atexit
import os
import shutil
import sys
import tempfile

import pytest
from _pytest.nodeid import NodeId

from tests import provision


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Append each test's group to its name, which pytest-xdist uses to distribute tests.

    pytest-xdist 3.8 writes it to an attribute that pytest removed in 9.2, so groups were split.
    """
    if not getattr(config.option, "loadgroup", False):
        return
    for item in items:
        groups = sorted({mark.args[0] for mark in item.iter_markers("xdist_group")})
        if groups and not item.nodeid.endswith(suffix := f"@{'_'.join(groups)}"):
            item._id = NodeId.parse(f"{item.nodeid}{suffix}")


def _for_marketplace() -> bool:
    named = [word for word in sys.argv if word.startswith("--ds")] + [
        os.environ.get("DJANGO_SETTINGS_MODULE", "")
    ]
    return any("marketplace_settings" in word for word in named)


def _choose_services() -> None:
    if os.environ.get("PREFEREE_TEST_READY"):  # a worker process of pytest-xdist: its parent has chosen
        return
    os.environ["PREFEREE_TEST_READY"] = "1"
    # Hundreds of processes are started, and they need not each compile the product again.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    data_dir = tempfile.mkdtemp(prefix="preferee-tests-")
    atexit.register(shutil.rmtree, data_dir, ignore_errors=True)
    os.mkdir(os.path.join(data_dir, "static"))  # WhiteNoise warns if it is missing
    os.environ["PREFEREE_DATA_DIR"] = data_dir
    # Threads cannot see a test's own transaction; tests of concurrent calls ask for these databases.
    os.environ["PREFEREE_CROWD_CALLS_AT_ONCE"] = "1"
    variable = "MARKETPLACE_DATABASE_URL" if _for_marketplace() else "DATABASE_URL"
    if variable == "DATABASE_URL":  # marketplaces that the product's tests start use their own SQLite file
        os.environ.pop("MARKETPLACE_DATABASE_URL", None)
    if os.environ.get("PREFEREE_TEST_ON", "postgres") == "sqlite":
        os.environ[variable] = f"sqlite:///{data_dir}/tests.sqlite3"
        os.environ.pop("REDIS_URL", None)
        os.environ.pop("CELERY_BROKER_URL", None)
        return
    os.environ[variable] = provision.postgres_address(
        os.environ.get(variable), name=f"preferee_{os.getpid()}"
    )
    # No test checks whether rows survive a power cut, so the server need not wait for its disk.
    os.environ.setdefault("PGOPTIONS", "-c synchronous_commit=off")
    os.environ["REDIS_URL"] = provision.redis_address(os.environ.get("REDIS_URL"))
    # No test process reads messages from a broker; tests/config/test_celery.py starts its own workers.
    os.environ["CELERY_BROKER_URL"] = "memory://localhost/"


_choose_services()
