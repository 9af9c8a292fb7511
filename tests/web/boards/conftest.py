"""Withheld labels, at a time that stands still."""

import pytest
import time_machine

from tests.web.boards.sound import NOON, Sound


@pytest.fixture
def sound(db):
    with time_machine.travel(NOON, tick=False):
        yield Sound()
