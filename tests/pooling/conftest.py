"""A small collection: three queries, two runs."""

import pytest

from pooling.intake import collections
from pooling.runs import runs

QUERIES = "1\twho\n2\twhat\n3\twhere\n"
RUN_A = "1 Q0 p1 1 3 A\n1 Q0 p2 2 2 A\n2 Q0 p3 1 3 A\n3 Q0 p5 1 1 A\n"
RUN_B = "1 Q0 p2 1 3 B\n1 Q0 p1 2 2 B\n2 Q0 p3 1 3 B\n"
QRELS = "1 0 p1 1\n2 0 p4 1\n"
PASSAGES = "".join(f"p{n}\ttext {n}\n" for n in range(1, 9)) + "p9\ttext  1\n"


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a file and returns its path."""

    def make(name: str, content: str | bytes):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


@pytest.fixture
def collection(db, write):
    made = collections.import_collection(
        name="small",
        queries=write("queries.tsv", QUERIES),
        passage_files=[write("passages.tsv", PASSAGES)],
        qrels=write("qrels.txt", QRELS),
    )
    return made.collection


@pytest.fixture
def two_runs(collection, write):
    files = [write("a.run", RUN_A), write("b.run", RUN_B)]
    return [runs.import_run(collection=collection, path=path) for path in files]
