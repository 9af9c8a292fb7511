"""Readers accept any bytes, or refuse them with file and line; they never raise another exception."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings, strategies as st

from config.errors import Refusal
from judging.campaign.gold_pairs import read_gold_lines
from judging.campaign.imported_judgments import read_lines
from pooling.files import texts, trec
from pooling.files.formats import BOM, Content

RUN = b"q1 Q0 a 1 1.0 t\n"
HEAD = b"topic\tleft\tright\tpreferred\tworker\ttime\n"
KNOWN = frozenset({"q1"})
READERS: dict[str, Callable[[Path], Any]] = {
    "queries": lambda path: texts.read_query_file(Content(path, "f")),
    "query problems": lambda path: texts.query_problems(Content(path, "f")),
    "passage problems": lambda path: texts.passage_problems(Content(path, "f")),
    "passages": lambda path: list(
        texts.read_passages(Content(path, "f"), texts.format_of(Content(path, "f")))
    ),
    "wanted passages": lambda path: list(texts.read_passages(Content(path, "f"), "jsonl", {"1", "a"})),
    "qids": lambda path: texts.read_qids(Content(path, "f")),
    "run": lambda path: trec.read_run_file(Content(path, "f")),
    "run of known queries": lambda path: trec.read_run_file(Content(path, "f"), known_qids=KNOWN),
    "run by rank": lambda path: trec.read_run_file(
        Content(path, "f"), known_qids=KNOWN, skip_unknown=True, order="rank"
    ),
    "run problems": lambda path: trec.run_problems(Content(path, "f"), known_qids=KNOWN),
    "qrels": lambda path: trec.read_qrel_file(Content(path, "f"), known_qids=KNOWN),
    "qrel problems": lambda path: trec.qrel_problems(Content(path, "f"), known_qids=KNOWN),
    "gold pairs": lambda path: list(read_gold_lines(path.read_bytes(), "f")),
    "judgments": lambda path: read_lines(path.read_bytes(), "f"),
    "judgments below a head": lambda path: read_lines(HEAD + path.read_bytes(), "f"),
}
LONG = 10_000_000
CORPUS = {
    "nothing": b"",
    "blank": b"\n \n\x0c\n\x1c\n\xc2\xa0\n",
    "deep": b'{"qid": "1", "text": ' + b"[" * 200_000 + b"]" * 200_000 + b"}\n",
    "deep and open": b'{"a":' * 200_000 + b"\n",
    "two marks": BOM + BOM + RUN,
    "three marks": BOM * 3,
    "a mark below blank lines": b"\n\n" + BOM + RUN + RUN,
    "a mark in the middle": RUN + BOM + RUN,
    "two marks, a query": BOM + BOM + b"1\ttext\n",
    "two marks, an object": BOM + BOM + b'{"qid": "1", "text": "a"}\n',
    "a huge id": b'{"qid": ' + b"9" * 5000 + b', "text": "a"}\n',
    "a huge rank": b"q1 Q0 a 99999999999999999999 1.0 t\n",
    "a huge score": b"q1 Q0 a 1 1e999999 t\n",
    "a huge grade": b"q1 0 a 999999999999999999\n",
    "no number": b"q1 Q0 a 1 nan t\n",
    "endless": b'{"qid": 1e999, "text": NaN}\n',
    "digits of Unicode": "q1 Q0 a ١ ２.0 t\n".encode(),
    "NUL": b"q1 Q0 a 1 1.0 t\x00\n1\t\x00\n",
    "carriage returns alone": b"q1 Q0 a 1 1.0 t\rq2 Q0 a 1 1.0 t\r1\ttext\r",
    "a long line": b"q1 Q0 " + b"a" * LONG + b" 1 1.0 t\n",
    "a long text": b"1\t" + b"a" * LONG + b"\n",
    "a long object": b'{"qid": "1", "text": "' + b"a" * LONG + b'"}\n',
    "two encodings": "1\té\n".encode() + "2\té\n".encode("latin-1"),
    "UTF-16": "q1 Q0 a 1 1.0 t\n".encode("utf-16"),
    "half a character": b'{"qid": "\\ud800", "text": "\\ud800"}\n',
    "the same twice": RUN + RUN,
    "the same twice by other blanks": RUN + b"q1\x0bQ0\x0ba\x0b1\x0b1\x0bt\n",
    "the end of time": b"q1\ta\tb\ta\tw\t9999-12-31T23:59:59-12:00\n",
    "the beginning of time": b"q1\ta\tb\ta\tw\t0001-01-01T00:00:00+12:00\n",
    "a damaged zstd": b"\x28\xb5\x2f\xfdabc",
    "an archive": b"PK\x03\x04",
}  # fmt: skip
PIECES = [
    RUN,
    BOM,
    b"\n",
    b"q1 0 a 1\n",
    b"1\ttext\n",
    b'{"qid": "1", "text": "a"}\n',
    b"q1\ta\tb\ta\tw\t2020-01-01\n",
    *(b"\x00", b"\x1c", b"\r", b"\xff", b"\xc2\xa0", b'"', b" "),
]


def refusal_of(read: Callable[[Path], Any], path: Path) -> Refusal | None:
    try:
        read(path)
    except Refusal as refusal:
        return refusal
    return None


def read_or_refused(content: bytes, path: Path) -> None:
    path.write_bytes(content)
    refusals = [refusal_of(read, path) for read in READERS.values()]
    for refusal in filter(None, refusals):
        assert refusal.file == "f"
        assert isinstance(refusal.line, int)
        assert len(str(refusal)) < 5000  # it does not quote a line of megabytes


@pytest.mark.parametrize("name", CORPUS)
def test_odd_files_are_read_or_refused(name, tmp_path):
    content = CORPUS[name]
    read_or_refused(content, tmp_path / "f")
    if len(content) < LONG:
        read_or_refused(gzip.compress(content)[:-3], tmp_path / "f")
        read_or_refused(zstandard.compress(content), tmp_path / "f")


@given(st.lists(st.sampled_from(PIECES) | st.binary(max_size=12), max_size=8), st.integers(0, 3), st.data())
@settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_any_mixture_is_read_or_refused(tmp_path, pieces, packed, data):
    content = b"".join(pieces)
    if packed:
        whole = gzip.compress(content) if packed == 1 else zstandard.compress(content)
        content = whole[: data.draw(st.integers(1, len(whole)))]
    read_or_refused(content, tmp_path / "f")


def test_a_byte_order_mark_before_a_line_is_named(tmp_path):
    path = tmp_path / "f"
    for content, line in ((BOM + BOM + RUN, 1), (RUN + b"\n" + BOM + RUN, 3)):
        path.write_bytes(content)

        with pytest.raises(Refusal, match=f"line {line}: the line begins with a byte order mark"):
            trec.read_run_file(Content(path, "f"), known_qids={"q9"})
