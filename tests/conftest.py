"""Fixtures for every test."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


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
def shared_data() -> Path:
    """Real runs, qrels and judgments beside the checkout; tests that need them are skipped without."""
    if not SHARED_DATA.exists():
        pytest.skip("the real data is not beside this checkout (../shared/data)")
    return SHARED_DATA
