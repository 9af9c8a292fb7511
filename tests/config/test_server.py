"""The process that serves."""

from __future__ import annotations

import gc

from config.server import leave_alone_what_is_there


def test_what_is_there_when_serving_begins_is_not_collected_again_and_again():
    before = gc.get_freeze_count()

    leave_alone_what_is_there()

    try:
        assert gc.get_freeze_count() > before + 10_000
    finally:
        gc.unfreeze()
