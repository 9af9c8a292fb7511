"""The web server process."""

import gc

from config.process.server import freeze_loaded_objects


def test_what_is_there_when_serving_begins_is_not_collected_again_and_again():
    there = [[] for _ in range(20_000)]
    before = gc.get_freeze_count()

    freeze_loaded_objects()

    try:
        assert gc.get_freeze_count() >= before + len(there)
    finally:
        gc.unfreeze()
