"""The features of a collection: built once, rebuilt when passages change, safe to interrupt."""

import fcntl
import signal
import subprocess
import sys
import threading

import pytest

from pooling.errors import NotFound
from pooling.files.feature_files import write_features
from pooling.intake import collections
from pooling.passages import features, passages
from tests.pooling.conftest import QUERIES


def make_features(collection):
    with features.features_of(collection) as found:
        return found


def written_at(collection):
    return (features.folder_of(collection) / "made" / "manifest.json").stat().st_mtime_ns


def test_features_are_made_once(collection):
    first = make_features(collection)
    when = written_at(collection)

    assert make_features(collection) == first
    assert first.passages == 9
    assert written_at(collection) == when


def test_a_new_source_rebuilds_features(collection, write):
    make_features(collection)
    passages.add_sources(collection=collection, paths=[write("more.tsv", "q1\tmore\n")])

    again = make_features(collection)

    assert again.passages == 10
    assert again.rows_of(["q1"]) == {"q1": 9}


def test_without_sources_recorded_texts_count(db, write):
    made_of = collections.import_collection(name="bare", queries=write("q.tsv", QUERIES)).collection
    passages.record_passages(made_of, ["a", "b"])
    with pytest.raises(NotFound, match="no passage texts"), features.features_of(made_of):
        pass

    made_of.passages.filter(pid="a").update(text="one text")
    assert make_features(made_of).passages == 1
    made_of.passages.filter(pid="b").update(text="two texts")
    assert make_features(made_of).passages == 2


def test_features_of_a_killed_process_are_rebuilt(collection, monkeypatch):
    folder = features.folder_of(collection)
    write_features(folder / "arriving", [("x", "half of it")], {})
    (folder / "arriving" / "manifest.json").unlink()
    (folder / "made").mkdir()
    (folder / "made" / "counts").write_bytes(b"half")

    assert make_features(collection).passages == 9
    assert not (folder / "arriving").exists()


def test_a_failed_attempt_leaves_nothing_that_looks_whole(collection, monkeypatch):
    def fail(*args):
        raise OSError("No space left on device")
        yield

    with monkeypatch.context() as broken:
        broken.setattr(passages, "all_texts", fail)
        with pytest.raises(OSError, match="No space"):
            make_features(collection)

    assert not (features.folder_of(collection) / "arriving").exists()
    assert make_features(collection).passages == 9


def test_progress_names_what_is_done(collection):
    said = []

    with features.features_of(collection, lambda *now: said.append(now)):
        pass

    size = collection.sources.get().size_bytes
    assert (size, size, "Counting the words of passages") in said
    assert said[-1] == (9, 9, "Weighting the words of passages")


def test_the_lock_of_a_killed_process_is_free(collection):
    folder = features.folder_of(collection)
    folder.mkdir(parents=True)
    words = (
        "import fcntl, sys, time; file = open(sys.argv[1], 'a'); fcntl.flock(file, fcntl.LOCK_EX);"
        "print('locked', flush=True); time.sleep(600)"
    )
    holder = subprocess.Popen([sys.executable, "-c", words, folder / "lock"], stdout=subprocess.PIPE)
    assert holder.stdout.readline() == b"locked\n"
    said: list[str] = []
    waited = threading.Event()

    def heard(done, total, message=""):
        said.append(message)
        if "Waiting" in message and not waited.is_set():
            waited.set()
            holder.send_signal(signal.SIGKILL)
            holder.wait()

    with features.features_of(collection, heard) as found:
        assert found.passages == 9

    holder.stdout.close()
    assert waited.is_set()
    assert "Weighting" in said[-1]


def test_features_stay_while_they_are_read(collection):
    with features.features_of(collection), (features.folder_of(collection) / "lock").open() as lock:
        with pytest.raises(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
