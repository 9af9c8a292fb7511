"""Local copies of files on S3; test_ranking_files.py tests them with a server."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest

from pooling.storage.ranking_copies import fetch_and_read, read_kept


@pytest.fixture
def elsewhere(data_dir):
    """The folder of copies, on a separate file system."""
    memory = Path("/dev/shm")  # on Linux, a file system in memory
    if not memory.is_dir() or os.stat(memory).st_dev == os.stat(data_dir).st_dev:
        pytest.skip("this machine has one file system only")
    folder = Path(tempfile.mkdtemp(dir=memory))
    (data_dir / "cache").symlink_to(folder)
    yield folder
    shutil.rmtree(folder)


def test_copies_may_lie_on_a_file_system_of_their_own(elsewhere, data_dir):
    found = fetch_and_read("1/a.parquet", lambda file: bool(file.write(b"ranks")), Path.read_bytes)

    assert found == b"ranks"
    assert read_kept("1/a.parquet", Path.read_bytes) == b"ranks"
    assert [path.name for path in (elsewhere / "runs" / "1").iterdir()] == ["a.parquet"]
    assert not list(data_dir.glob(".arriving-*"))
