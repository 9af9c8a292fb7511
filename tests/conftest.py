"""Fixtures for every test."""

from __future__ import annotations

import gc
import os
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest
from django.conf import settings as django_settings
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.core.cache import caches
from django.db import connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from tests.emptying import quick_emptying  # noqa: F401
from tests.stages import select

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

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


@pytest.fixture(scope="session", autouse=True)
def static_files_looked_up():
    """Static files are found when they are asked for: each test client would list all of them, five hundred."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(django_settings, "WHITENOISE_AUTOREFRESH", True, raising=False)
        yield


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup, django_db_use_migrations, django_db_blocker):
    """Where the tables are made from the models, the migrations are on record as applied all the same."""
    if django_db_use_migrations:
        return
    django_settings.MIGRATION_MODULES = {}
    with django_db_blocker.unblock():
        recorder = MigrationRecorder(connections["default"])
        recorder.ensure_schema()
        for app, name in MigrationLoader(None).disk_migrations:
            recorder.record_applied(app, name)


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
def chromium_arguments() -> Sequence[str]:
    """What Chromium is started with; override it where a test needs another browser."""
    from tests.chromium import ARGUMENTS

    return ARGUMENTS


@pytest.fixture
def browser(monkeypatch, chromium_arguments) -> Iterator[Browser]:
    """The Chromium of this process; its windows are closed after each test."""
    from tests.chromium import shared_chromium

    # Playwright's event loop is seen in this thread while the test runs; nothing of ours runs in it.
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
    with shared_chromium(chromium_arguments) as browser:
        yield browser
        connections.close_all()  # those that were opened beside the event loop are seen from here alone


@pytest.fixture
def window(browser) -> Callable[..., BrowserContext]:
    """Make a browser window with cookies and storage of its own; options as Playwright has them."""
    from tests.chromium import PATIENCE

    def make(**options: Any) -> BrowserContext:
        context = browser.new_context(**options)
        context.set_default_timeout(PATIENCE)
        return context

    return make


@pytest.fixture
def page(window) -> Page:
    """A window of Chromium at the size of a small laptop's, for what the product itself serves."""
    return window(viewport={"width": 1280, "height": 800}).new_page()


@pytest.fixture
def shared_data() -> Path:
    """Real runs, qrels and judgments beside the checkout; tests that need them are skipped without."""
    if not SHARED_DATA.exists():
        pytest.skip("the real data is not beside this checkout (../shared/data)")
    return SHARED_DATA


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests of this stage."""
    select(config, items)


def pytest_collection_finish() -> None:
    """Spare the collector of garbage what is there from now on: it took a tenth of the suite's time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


@pytest.fixture
def forget_cache():
    """Call it to have nothing in the cache from then on: ``clear()`` would empty the Redis of all who share it."""

    def forget() -> None:
        caches["default"].key_prefix = uuid.uuid4().hex

    return forget
