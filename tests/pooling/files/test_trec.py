"""Reading run and qrel files, and refusals with line and reason."""

import bz2
import gzip
import io
import lzma
import threading

import numpy as np
import polars as pl
import pytest
import zstandard
from hypothesis import HealthCheck, given, settings, strategies as st

from pooling.errors import (
    EmptyFile,
    InvalidFile,
    InvalidQrelFile,
    InvalidRunFile,
    UnknownQueries,
    UnreadableContent,
)
from pooling.files import columns
from pooling.files.formats import MAX_BYTES, Content
from pooling.files.trec import read_qrel_file, read_run_file, read_runs

GOOD = b"q1 Q0 a 1 3.5 t\nq1 Q0 b 2 2.5 t\nq2 Q0 a 1 9 t\n"


@pytest.fixture
def run(tmp_path):
    """Return a function that reads a run from bytes."""

    def read(content: bytes, *, max_bytes: int = MAX_BYTES, **options):
        path = tmp_path / "run.txt"
        path.write_bytes(content)
        return read_run_file(Content(path, "run.txt", max_bytes), **options)

    return read


def refusal(run, content: bytes, **options) -> InvalidFile:
    with pytest.raises(InvalidFile) as caught:
        run(content, **options)
    return caught.value


def test_a_run_is_read_in_order_of_score(run):
    read = run(b"q1 Q0 a 1 1.5 t\nq1 Q0 b 2 2.5 t\nq2 Q0 c 1 9 t\n")

    assert read.ranking.tops(2) == {"q1": ("b", "a"), "q2": ("c",)}
    assert (read.layout, read.tag, read.order, read.report.rank_disagreements) == ("trec", "t", "score", 1)


def test_equal_scores_are_ordered_by_pid_descending_byte_by_byte(run):
    read = run("q Q0 p9 1 1 t\nq Q0 p10 2 1 t\nq Q0 é 3 1 t\nq Q0 Z 4 1 t\nq Q0 z 5 2 t\n".encode())

    assert read.ranking.tops(5)["q"] == ("z", "é", "p9", "p10", "Z")
    assert (read.report.tied_queries, read.report.tied_lines, read.report.tied_tops) == (1, 4, 0)


def test_decimal_pids_tie_as_strings_do(run):
    read = run(b"q Q0 9 1 1 t\nq Q0 10 2 1 t\nq Q0 100 3 1 t\n")

    assert read.ranking.tops(3)["q"] == ("9", "100", "10")
    assert read.report.tied_tops == 1


def test_scores_that_differ_only_beyond_32_bits_are_equal(run):
    read = run(b"q Q0 a 1 1.00000002 t\nq Q0 b 2 1.00000001 t\n")

    assert read.ranking.tops(2)["q"] == ("b", "a")


def test_order_rank_keeps_equal_ranks_in_file_order(run):
    read = run(b"q Q0 a 2 9 t\nq Q0 b 1 1 t\nq Q0 c 1 5 t\n", order="rank")

    assert read.ranking.tops(3)["q"] == ("b", "c", "a")
    assert read.order == "rank"


def test_an_msmarco_run_is_ordered_by_rank(run):
    read = run(b"7\t30\t2\n7\t20\t1\n8\t20\t5\n8\t30\t9\n")

    assert read.ranking.tops(2) == {"7": ("20", "30"), "8": ("20", "30")}
    assert (read.layout, read.tag, read.order, read.report.rank_gaps) == ("msmarco", "", "rank", 1)
    assert read.ranking.scores is None


def test_an_msmarco_run_cannot_be_ordered_by_score(run):
    assert "no scores" in refusal(run, b"7\t30\t1\n", order="score").reason


def test_lines_of_a_query_may_lie_apart(run):
    read = run(b"q1 Q0 a 1 3 t\nq2 Q0 b 1 3 t\nq1 Q0 c 2 4 t\n")

    assert read.ranking.tops(2) == {"q1": ("c", "a"), "q2": ("b",)}


@pytest.mark.parametrize(
    "content",
    [
        GOOD.replace(b" ", b"\t"),
        GOOD.replace(b" ", b"  \t "),
        GOOD.replace(b"\n", b"\r\n"),
        GOOD.replace(b"\n", b" \n\n \n"),
        b"\xef\xbb\xbf" + GOOD,
        b"\n\n  " + GOOD,
        GOOD[:-1],
        GOOD.replace(b"q2 Q0 a 1", b"\tq2\tQ0\ta\t1"),
        gzip.compress(GOOD, mtime=0),
        gzip.compress(GOOD[:20], mtime=0) + gzip.compress(GOOD[20:], mtime=0),
        bz2.compress(GOOD),
        lzma.compress(GOOD),
        zstandard.compress(GOOD),
        zstandard.compress(GOOD[:20]) + zstandard.compress(GOOD[20:]),
    ],
)
def test_blanks_line_ends_and_compression_change_nothing(run, content):
    assert run(content).ranking.frame().equals(run(GOOD).ranking.frame())


def test_the_hash_is_of_the_decompressed_content(run):
    assert run(gzip.compress(GOOD)).sha256 == run(zstandard.compress(GOOD)).sha256 == run(GOOD).sha256


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"q2 Q0 a 1 9", "5 columns"),
        (b"q2 Q0 a 1 9 t more", "7 columns"),
        (b"q2 Q0 a 1 high t", "'high' is not a number"),
        (b"q2 Q0 a 1 1_0 t", "'1_0' is not a number"),
        (b"q2 Q0 a 1 0x1f t", "'0x1f' is not a number"),
        (b"q2 Q0 a 1 NaN t", "'NaN' is not finite"),
        (b"q2 Q0 a 1 -inf t", "'-inf' is not finite"),
        (b"q2 Q0 a 1 1e39 t", "too large: scores are read as 32-bit floats"),
        (b"q2 Q0 a 1.0 9 t", "rank '1.0' is not an integer"),
        (b"q2 Q0 a one 9 t", "rank 'one' is not an integer"),
        (b"q2 Q0 a 1 9 other", "run tag is 'other', but earlier lines have 't'"),
        (b"q1 Q0 a 1 9 t", "passage a of query q1 already appears on line 1"),
        (b"q2 Q0 \xff 1 9 t", "not UTF-8"),
        (b"q2 Q0 a\x00 1 9 t", "NUL"),
        (b"q2 Q0 " + b"x" * 301 + b" 1 9 t", "pid is longer than 300 bytes"),
    ],
)
def test_a_bad_line_is_named_with_file_number_and_reason(run, line, reason):
    content = b"q1 Q0 a 1 3.5 t\n\nq1 Q0 b 2 2.5 t\n" + line + b"\nq3 Q0 a 1 9 t\n"

    refused = refusal(run, content)

    assert (refused.file, refused.line) == ("run.txt", 4)
    assert reason in refused.reason
    assert str(refused).startswith("run.txt, line 4: ")


@pytest.mark.parametrize("pid", [b"8412683", b"0084", b"9" * 30, b"clueweb-1"])
def test_a_passage_that_stands_twice_is_named_however_it_is_spelled(run, pid):
    content = b"q1 Q0 %b 1 3.5 t\nq1 Q0 7 2 2.5 t\nq1 Q0 %b 3 1.5 t\n" % (pid, pid)

    refused = refusal(run, content)

    assert (refused.line, refused.reason) == (
        3,
        f"passage {pid.decode()} of query q1 already appears on line 1.",
    )


@pytest.mark.parametrize("before", range(0, 200, 7))
def test_a_qid_that_is_too_long_is_noticed_wherever_it_lies(run, monkeypatch, before):
    monkeypatch.setattr("pooling.files.line_blocks._PIECE", 192)
    content = b"q Q0 a 1 1 " + b"t\n" + b"r Q0 " + b"p" * before + b" 1 1 t\n" + b"s" * 201 + b" Q0 a 1 1 t\n"

    assert "qid is longer" in refusal(run, content.replace(b"r Q0  1", b"r Q0 p 1")).reason


def test_the_line_number_is_right_beyond_the_first_block(run, monkeypatch):
    monkeypatch.setattr("pooling.files.formats.BLOCK_BYTES", 64)
    lines = [f"q{n} Q0 a 1 1 t\n" for n in range(100)]
    lines[70] = "q70 Q0 a 1 x t\n"

    assert refusal(run, "".join(lines).encode()).line == 71


def test_a_line_that_is_too_long_is_named(run, monkeypatch):
    monkeypatch.setattr("pooling.files.formats.BLOCK_BYTES", 64)
    monkeypatch.setattr("pooling.files.formats.LONGEST_LINE", 1024)
    lines = [f"q{n} Q0 a 1 1 t\n" for n in range(100)]
    lines[70] = f"q70 Q0 {'a' * 2000} 1 1 t\n"

    assert refusal(run, "".join(lines).encode()).line == 71


def test_blocks_of_any_size_give_the_same_run(run, monkeypatch):
    content = "".join(f"query{n % 7} Q0 passage{n} 1 {n % 3} t\n" for n in range(100)).encode()
    whole = run(content)

    monkeypatch.setattr("pooling.files.formats.BLOCK_BYTES", 40)

    pieces = run(content)
    assert pieces.ranking.frame().equals(whole.ranking.frame())
    assert (pieces.sha256, pieces.report) == (whole.sha256, whole.report)


def test_progress_is_reported_in_the_thread_that_holds_the_transaction(tmp_path, monkeypatch):
    monkeypatch.setattr("pooling.files.formats.BLOCK_BYTES", 40)
    file, told = tmp_path / "passages.tsv", []
    file.write_text("".join(f"p{n}\tthe text of passage {n}\n" for n in range(100)))

    def progress(done, total):
        told.append((done, total, threading.get_ident()))

    assert len(list(Content(file, progress=progress).blocks())) > 10
    size = file.stat().st_size
    assert len(told) > 10
    assert told[-1] == (size, size, threading.get_ident())
    assert {thread for *_, thread in told} == {threading.get_ident()}


@pytest.mark.parametrize(
    "lines",
    [
        ["q 10 1", "q 11 2", "q 2 3", "q 12 4", "q 2 5"],
        ["q Q0 10 1 9 t", "q Q0 11 2 8 t", "q Q0 2 3 7 t", "q Q0 12 4 6 t", "q Q0 2 5 5 t"],
    ],
)
def test_a_repeated_passage_is_not_taken_for_a_rank(run, lines):
    found = refusal(run, "".join(f"{line}\n" for line in lines).encode())

    assert (found.line, found.reason) == (5, "passage 2 of query q already appears on line 3.")


def test_a_first_line_of_four_columns_is_no_run(run):
    assert "4 columns, not 6 (TREC run) or 3 (MS MARCO run)" in refusal(run, b"q 0 a 1\n").reason


@pytest.mark.parametrize(
    "content", [b"", b"\n \n", gzip.compress(b"", mtime=0)], ids=["nothing", "blanks", "gzip"]
)
def test_an_empty_file_is_refused(run, content):
    assert isinstance(refusal(run, content), EmptyFile)


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress, zstandard.compress])
def test_truncated_compression_is_refused(run, compress):
    content = compress(np.random.default_rng(0).bytes(50_000).hex().encode())

    refused = refusal(run, content[: len(content) // 2])

    assert isinstance(refused, UnreadableContent)
    assert "truncated" in refused.reason
    assert refused.line >= 1


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress, zstandard.compress])
def test_corrupt_compression_is_refused(run, compress):
    content = bytearray(compress(GOOD * 1000))
    content[len(content) // 2] ^= 0xFF
    content[-6] ^= 0xFF

    refused = refusal(run, bytes(content))

    assert isinstance(refused, UnreadableContent)
    assert "corrupt" in refused.reason or "truncated" in refused.reason


@pytest.mark.parametrize("compress", [bytes, gzip.compress, bz2.compress, lzma.compress, zstandard.compress])
def test_content_over_the_limit_is_refused(run, compress):
    refused = refusal(run, compress(b" " * 10_000_000), max_bytes=1_000_000)

    assert "larger than 1,000,000 bytes" in refused.reason


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(UnreadableContent, match="no such file"):
        read_run_file(Content(tmp_path / "nowhere"))


def test_unknown_queries_are_listed_with_the_first_ones_line(run):
    refused = refusal(run, GOOD, known_qids={"q1"})

    assert isinstance(refused, UnknownQueries)
    assert (refused.line, refused.qids) == (3, ("q2",))
    assert "--skip-unknown" in refused.next_step


def test_unknown_queries_are_dropped_on_request(run):
    read = run(GOOD, known_qids={"q1", "q7"}, skip_unknown=True)

    assert read.ranking.tops() == {"q1": ("a",)}
    assert (read.report.skipped, read.report.unanswered) == (("q2",), ("q7",))
    assert read.report.warnings()


def test_a_rank_column_that_only_reorders_ties_contradicts_nothing(run):
    assert run(b"q Q0 a 0 2 t\nq Q0 b 1 2 t\nq Q0 c 2 1 t\n").report.rank_disagreements == 0


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.sampled_from("qr"), st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=9)
)
@pytest.mark.parametrize("order", ["score", "rank"])
def test_disagreeing_ranks_are_those_of_pairs_that_contradict_their_scores(tmp_path, order, lines):
    (tmp_path / "run").write_text("".join(f"{q} Q0 p{n} {r} {s} t\n" for n, (q, r, s) in enumerate(lines)))

    found = read_run_file(Content(tmp_path / "run"), order=order).report.rank_disagreements

    contradicting = {
        q for q, r, s in lines for other, rank, score in lines if q == other and r <= rank and s < score
    }
    assert found == len(contradicting)


def test_the_fast_way_is_taken_for_files_with_odd_blanks(run, monkeypatch):
    def never(*args):
        raise AssertionError("read line by line")

    monkeypatch.setattr(columns, "careful_rows", never)

    assert run(GOOD.replace(b" ", b" \t").replace(b"\n", b"\r\n\n")).report.lines == 3


NUMBERS = st.one_of(
    st.floats(-(2.0**99), 2.0**99, width=32).map(repr),
    st.floats(-1e30, 1e30).map(repr),
    st.integers(-(10**6), 10**6).map(str),
    st.sampled_from(
        ["1.", ".5", "+3", "-0", "1e3", "1E-3", "00.5", "9007199254740993", "1e400", "e5", "1e", "--1"]
    ),
)
PIDS = st.one_of(
    st.integers(0, 10**19).map(str),
    st.text("ab01éZ_-+.\"'#,", min_size=1, max_size=6),
    st.sampled_from(["007", "-1"]),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(st.lists(st.tuples(PIDS, NUMBERS), min_size=1, max_size=12, unique_by=lambda line: line[0]))
def test_the_fast_and_the_careful_way_read_the_same(tmp_path, lines):
    path = tmp_path / "run"
    path.write_text("".join(f"q Q0 {pid} {place} {score} t\n" for place, (pid, score) in enumerate(lines)))

    def outcome():
        try:
            return read_run_file(Content(path)).ranking.frame().rows()
        except InvalidRunFile as refused:
            return str(refused)

    fast = outcome()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "fast_rows", lambda *args: None)
        careful = outcome()

    assert fast == careful


def test_several_runs_come_in_the_order_given_with_refusals_in_their_places(tmp_path):
    contents = [f"q Q0 p{n} 1 1 t{n}\n" for n in range(7)]
    contents[3] = "q Q0 p 1 x t\n"
    paths = [tmp_path / str(n) for n in range(7)]
    for path, content in zip(paths, contents, strict=True):
        path.write_text(content)

    read = list(read_runs([Content(path) for path in paths]))

    assert [getattr(file, "tag", "") for file in read] == ["t0", "t1", "t2", "", "t4", "t5", "t6"]
    assert isinstance(read[3], InvalidRunFile)


def test_damage_to_an_archive_is_the_reason_even_when_it_garbles_a_line_first(run):
    content = bytearray(gzip.compress(GOOD * 3000, compresslevel=0))
    content[100] ^= 0xFF

    assert isinstance(refusal(run, bytes(content)), UnreadableContent)


def test_qrels_of_four_and_of_three_columns_are_read_alike(tmp_path):
    (tmp_path / "four").write_text("q1 0 b 2\nq1 0 a -1\nq2 0 a 1\n")
    (tmp_path / "three").write_text("q1\tb\t2\nq1\ta\t-1\nq2\ta\t1\n")

    four, three = read_qrel_file(Content(tmp_path / "four")), read_qrel_file(Content(tmp_path / "three"))

    assert four.qids == three.qids == ("q1", "q2")
    assert four.pids == three.pids == ("b", "a", "a")
    assert four.grade.tolist() == three.grade.tolist() == [2, -1, 1]


@pytest.mark.parametrize(
    ("line", "reason"),
    [("q1 0 7 high", "grade 'high' is not an integer"), ("q1 0 b 1", "already appears on line 1")],
)
@pytest.mark.parametrize("pid", ["b", "8412683"])
def test_a_bad_label_is_named(tmp_path, line, reason, pid):
    (tmp_path / "qrels").write_text(f"q1 0 {pid} 2\n{line.replace(' b ', f' {pid} ')}\n")

    with pytest.raises(InvalidQrelFile, match=f"line 2: .*{reason}"):
        read_qrel_file(Content(tmp_path / "qrels"))


def test_labels_of_unknown_queries_only_are_refused(tmp_path):
    (tmp_path / "qrels").write_text("q8 0 a 1\nq9 0 b 1\n")

    with pytest.raises(UnknownQueries) as refused:
        read_qrel_file(Content(tmp_path / "qrels"), known_qids={"q1"}, skip_unknown=True)
    assert "No lines are left" in str(refused.value.next_step)


def write_run(ranking, tag, file):
    """Write a ranking as a TREC run, query by query. Without scores, the negative rank is used."""
    frame = ranking.frame().with_columns(pl.col("score").fill_null(-pl.col("rank").cast(pl.Float32)))
    order = pl.DataFrame({"qid": ranking.qids}).with_row_index("place")
    for qid, rank, pid, score in (
        frame.join(order, on="qid").sort("place", "rank").select("qid", "rank", "pid", "score").iter_rows()
    ):
        # The shortest form that gives back the same 32-bit float.
        file.write(f"{qid} Q0 {pid} {rank} {np.float32(score)!s} {tag}\n")


def write_qrels(labels, file):
    """Write (qid, pid, grade) as TREC qrels, in the order given."""
    for qid, pid, grade in labels:
        file.write(f"{qid} 0 {pid} {grade}\n")


def test_a_written_run_reads_back_as_it_was(run, tmp_path):
    before = run(b"q1 Q0 a 1 0.1 t\nq1 Q0 b 2 -3e-9 t\nq2 Q0 a 1 123456.789 t\n")
    written = io.StringIO()

    write_run(before.ranking, "t", written)

    assert run(written.getvalue().encode()).ranking.frame().equals(before.ranking.frame())


def test_a_run_without_scores_is_written_in_its_order(run):
    written = io.StringIO()

    write_run(run(b"7\t30\t2\n7\t20\t1\n").ranking, "t", written)

    assert run(written.getvalue().encode()).ranking.tops(2) == {"7": ("20", "30")}


def test_written_qrels_read_back(tmp_path):
    with (tmp_path / "qrels").open("w") as file:
        write_qrels([("q", "b", 1), ("q", "a", 0)], file)

    assert read_qrel_file(Content(tmp_path / "qrels")).pids == ("b", "a")
