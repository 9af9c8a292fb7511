"""The web server process."""

import gc

from config.process.server import collect_garbage_less_often


def test_objects_loaded_before_serving_are_not_garbage_collected():
    there = [[] for _ in range(20_000)]
    before, often = gc.get_freeze_count(), gc.get_threshold()

    gc.set_threshold(700)
    collect_garbage_less_often()

    try:
        assert gc.get_freeze_count() >= before + len(there)
        assert gc.get_threshold()[0] > 700
    finally:
        gc.unfreeze()
        gc.set_threshold(*often)
