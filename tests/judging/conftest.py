"""The cast of the judging tests."""

from __future__ import annotations

import pytest

from judging import crowds
from tests.judging.cast import Fair
from tests.judging.fake_crowd import FakeCrowd


@pytest.fixture
def crowd(monkeypatch) -> FakeCrowd:
    """The fake panel; campaigns whose ``crowd`` is "fake" talk to it."""
    panel = FakeCrowd()
    monkeypatch.setitem(crowds.FACTORIES, "fake", lambda endpoint: panel)
    return panel


@pytest.fixture
def fair(crowd, db) -> Fair:
    """Four queries of three passages: twelve pairs, four tasks of three."""
    return Fair(crowd)
