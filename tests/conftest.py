"""Fixtures for every test."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.core.cache import caches
from django.db import connections

from tests.emptying import quick_emptying  # noqa: F401

if TYPE_CHECKING:
    from playwright.sync_api import Page

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"

# Speed is measured in benchmarks/: an example that took long on a busy machine is no failure.
hypothesis.settings.register_profile("suite", deadline=None)
hypothesis.settings.load_profile("suite")


@pytest.fixture(scope="session", autouse=True)
def cheap_passwords():
    """Argon2 as ever, at its least cost: what a hash costs an attacker is not tested here."""
    with pytest.MonkeyPatch.context() as patch:
        for cost, least in {"memory_cost": 8, "time_cost": 1, "parallelism": 1}.items():
            patch.setattr(Argon2PasswordHasher, cost, least)
        yield


@pytest.fixture(autouse=True)
def data_dir(settings, tmp_path):
    """Every test keeps its runs, exports and keys in a folder of its own."""
    settings.PREFEREE_DATA_DIR = settings.DATA_DIR = tmp_path
    settings.RUNS_DIR = tmp_path / "runs"
    default = {**settings.CACHES["default"], "KEY_PREFIX": f"{os.getpid()}:{tmp_path.name}"}
    settings.CACHES = {**settings.CACHES, "default": default}
    settings.STORAGES = {
        **settings.STORAGES,
        "runs": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": tmp_path / "runs"},
        },
    }
    return tmp_path


@pytest.fixture
def page(monkeypatch) -> Iterator[Page]:
    """A window of Chromium at the size of a small laptop's, for what the product itself serves."""
    from tests.journeys.person import ARGUMENTS, PATIENCE, chromium

    # Playwright keeps an event loop in this thread while the browser lives; nothing of ours runs in it.
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
    with chromium(ARGUMENTS) as browser:
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        context.set_default_timeout(PATIENCE)
        yield context.new_page()
        context.close()
        connections.close_all()  # those that were opened beside the event loop are seen from here alone


@pytest.fixture
def shared_data() -> Path:
    """Real runs, qrels and judgments beside the checkout; tests that need them are skipped without."""
    if not SHARED_DATA.exists():
        pytest.skip("the real data is not beside this checkout (../shared/data)")
    return SHARED_DATA


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out of the stage on SQLite what would state the same a second time."""
    if os.environ.get("PREFEREE_TEST_ONLY") != "database":
        return
    config.hook.pytest_deselected(items=[item for item in items if not _depends_on_the_database(item)])
    items[:] = filter(_depends_on_the_database, items)


def _depends_on_the_database(item: pytest.Item) -> bool:
    """Journeys do; other tests in a browser look at pages, and what touches no database does not.

    ``one_database`` marks modules about what a page or a call says and who may see it, and processes that keep
    a SQLite file of their own in every stage. Services, jobs, races, commands and figures are never marked.
    """
    if item.get_closest_marker("one_database"):
        return False
    if item.get_closest_marker("journey"):
        return True
    fixtures = {"db", "transactional_db", "live_server"}.intersection(getattr(item, "fixturenames", ()))
    return not item.get_closest_marker("browser") and bool(item.get_closest_marker("django_db") or fixtures)


@pytest.fixture
def forget_cache():
    """Call it to have nothing in the cache from then on: ``clear()`` would empty the Redis of all who share it."""

    def forget() -> None:
        caches["default"].key_prefix = uuid.uuid4().hex

    return forget
