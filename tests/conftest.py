"""Fixtures for every test."""

from __future__ import annotations

import gc
import os
import time
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
from tests.stages import is_out_of_time, select

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"

# Speed is measured in benchmarks/; a slow example on a busy machine is not a failure.
hypothesis.settings.register_profile("suite", deadline=None)
hypothesis.settings.load_profile("suite")


@pytest.fixture(scope="session", autouse=True)
def cheap_passwords():
    """Use Argon2 at its lowest cost: the cost of a hash to an attacker is not tested here."""
    with pytest.MonkeyPatch.context() as patch:
        for cost, least in {"memory_cost": 8, "time_cost": 1, "parallelism": 1}.items():
            patch.setattr(Argon2PasswordHasher, cost, least)
        yield


@pytest.fixture(scope="session", autouse=True)
def static_files_looked_up():
    """Look up static files on request: otherwise, each test client would list all five hundred."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(django_settings, "WHITENOISE_AUTOREFRESH", True, raising=False)
        yield


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup, django_db_use_migrations, django_db_blocker):
    """Record the migrations as applied even if the tables are created from the models."""
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
    """Store each test's runs, exports and keys in a separate folder."""
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
    """Chromium's arguments; override this fixture if a test needs other ones."""
    from tests.chromium import ARGUMENTS

    return ARGUMENTS


@pytest.fixture
def browser(monkeypatch, chromium_arguments) -> Iterator[Browser]:
    """The Chromium of this process; its windows are closed after each test."""
    from tests.chromium import shared_chromium

    # Playwright's event loop is visible in this thread while the test runs; our code does not run in it.
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
    with shared_chromium(chromium_arguments) as browser:
        yield browser
        connections.close_all()  # connections opened beside the event loop are visible only here


@pytest.fixture
def window(browser) -> Callable[..., BrowserContext]:
    """Return a function that opens a browser window with separate cookies and storage; options are Playwright's."""
    from tests.chromium import PATIENCE

    def make(**options: Any) -> BrowserContext:
        context = browser.new_context(**options)
        context.set_default_timeout(PATIENCE)
        return context

    return make


@pytest.fixture
def page(window) -> Page:
    """A Chromium window of a small laptop's size, for the product's own pages."""
    return window(viewport={"width": 1280, "height": 800}).new_page()


@pytest.fixture
def shared_data() -> Path:
    """Real runs, qrels and judgments beside the checkout; without them, tests that need them are skipped."""
    if not SHARED_DATA.exists():
        pytest.skip("the real data is not beside this checkout (../shared/data)")
    return SHARED_DATA


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests of this stage."""
    select(config, items)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Skip a long test once their time is up, before its fixtures are set up."""
    if is_out_of_time(time.time()):
        pytest.skip("the time of the long tests (PREFEREE_SOAK_UNTIL) is over")


def pytest_collection_finish() -> None:
    """Exclude existing objects from garbage collection, which took a tenth of the suite's time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


@pytest.fixture
def forget_cache():
    """Return a function that invalidates the cache. ``clear()`` would empty the Redis that other tests share."""

    def forget() -> None:
        caches["default"].key_prefix = uuid.uuid4().hex

    return forget
