"""The web server process."""

import gc

from config.process.server import freeze_loaded_objects


def test_objects_loaded_before_serving_are_not_garbage_collected():
    there = [[] for _ in range(20_000)]
    before = gc.get_freeze_count()

    freeze_loaded_objects()

    try:
        assert gc.get_freeze_count() >= before + len(there)
    finally:
        gc.unfreeze()
