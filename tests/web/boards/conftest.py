"""Withheld labels, with a stopped clock."""

import pytest
import time_machine

from tests.web.boards.sound import NOON, Sound


@pytest.fixture
def sound(db):
    with time_machine.travel(NOON, tick=False):
        yield Sound()
