"""The web server process."""

import gc
import signal

from config.process import server
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


def test_ctrl_c_reaches_a_serving_process_only_through_its_parent(monkeypatch):
    hooks = []
    monkeypatch.setattr(
        server.EmbeddedServer, "run", lambda self: hooks.append(self.options["post_worker_init"])
    )
    before = signal.getsignal(signal.SIGINT)
    server.run_web_server(threads=1, with_workers=False)

    try:
        hooks[0](None)
        assert signal.getsignal(signal.SIGINT) not in (before, signal.SIG_DFL)
        signal.raise_signal(signal.SIGINT)  # does not end this process
    finally:
        signal.signal(signal.SIGINT, before)
