"""Every problem of a refused file: with its line, counted by kind, bounded, and agreeing with the fast reader."""

import gzip

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from pooling.errors import InvalidFile, PoolingError
from pooling.files.formats import Content
from pooling.files.texts import query_problems
from pooling.files.trec import qrel_problems, read_run_file, run_problems

GOOD = b"q1 Q0 a 1 3.0 t\nq1 Q0 b 2 2.0 t\nq2 Q0 c 1 1.0 t\n"


@pytest.fixture
def file(tmp_path):
    def write(content: bytes):
        path = tmp_path / "run.txt"
        path.write_bytes(content)
        return path

    return write


def lines_and_kinds(problems):
    return [(one.line, one.kind) for one in problems.listed]


def test_each_kind_is_named_with_its_line(file):
    lines = [
        b"q1 Q0 a 1 3.0 t",
        b"q1 Q0 b two 2.0 t",
        b"",
        b"q1 Q0 c 3 high t",
        b"q1 Q0 d 4 1.0",
        b"q1 Q0 e 5 1.0 other",
        b"q9 Q0 f 1 1.0 t",
        b"q1 Q0 a 6 0.5 t",
        b"q1 Q0 \xff 7 0.4 t",
        b"q1 Q0 g\x00 8 0.3 t",
        b"q1 Q0 " + b"p" * 301 + b" 9 0.2 t",
        b"q9 Q0 h 2 0.5 t",
    ]

    problems = run_problems(Content(file(b"\n".join(lines))), known_qids={"q1"})

    assert lines_and_kinds(problems) == [
        (2, "rank"), (4, "score"), (5, "columns"), (6, "run tag"), (7, "unknown query"), (8, "repeated passage"),
        (9, "encoding"), (10, "encoding"), (11, "length"),
    ]  # fmt: skip
    assert "(2 lines)" in problems.listed[4].reason
    assert "line 1" in problems.listed[5].reason
    assert problems.counts["encoding"] == 2


def test_a_good_file_has_none(file):
    assert run_problems(Content(file(GOOD)), known_qids={"q1", "q2"}).total == 0


def test_a_head_line_is_one_problem(file):
    problems = run_problems(Content(file(b"qid pid rank score\n" + GOOD)), known_qids={"q1", "q2"})

    assert lines_and_kinds(problems) == [(1, "columns")]


def test_the_list_is_bounded_and_the_count_is_not(file):
    problems = run_problems(Content(file(b"q1 Q0 a first 1.0 t\n" * 5000 + b"q1 Q0 a 1 1.0 t\n" * 400)))

    assert len(problems.listed) == 100
    assert [one.line for one in problems.listed] == [*range(1, 96), *range(5002, 5007)]
    assert problems.counts == {"rank": 5000, "repeated passage": 399}


def test_damage_is_the_only_reason(file):
    whole = gzip.compress(b"q1 Q0 a one 1.0 t\n" * 2000)

    problems = run_problems(Content(file(whole[:-20])))

    assert problems.total == 1
    assert "truncated" in problems.listed[0].reason


def test_a_long_field_is_not_quoted_whole(file):
    problems = run_problems(Content(file(b"q1 Q0 a " + b"9" * 1_000_000 + b"x 1.0 t\n")))

    assert len(problems.listed[0].reason) < 300


def test_qrels_are_looked_through_too(file):
    problems = qrel_problems(
        Content(file(b"q1 0 a 1\nq1 0 a 2\nq2 0 b x\nq3 0 c 1\n")), known_qids={"q1", "q2"}
    )

    assert lines_and_kinds(problems) == [(2, "repeated passage"), (3, "grade"), (4, "unknown query")]


def test_queries_are_looked_through_too(file):
    content = b'q1\twhat\nq2 no tab\nq1\tagain\nq3\t \n{"qid": "q4"}\n\xff\tx\n'

    problems = query_problems(Content(file(content)))

    assert lines_and_kinds(problems) == [
        (2, "format"), (3, "repeated query"), (4, "no text"), (5, "format"), (6, "format")
    ]  # fmt: skip


FIELD = st.sampled_from(["q1", "q2", "Q0", "a", "b", "1", "2.5", "x", "t", "", "\t", "é"])


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(FIELD, min_size=0, max_size=7), min_size=1, max_size=6))
def test_there_are_problems_exactly_where_the_reader_refuses(tmp_path, rows):
    path = tmp_path / "any.txt"
    path.write_text("\n".join(" ".join(row) for row in rows))

    try:
        read_run_file(Content(path), known_qids={"q1"})
        refused = False
    except PoolingError:
        refused = True

    assert bool(run_problems(Content(path), known_qids={"q1"}).total) == refused


def test_queries_with_too_many_passages_are_named_at_the_first_one_too_many(file):
    lines = [b"q1 Q0 p%d %d %d t" % (n, n, 9 - n) for n in range(1, 5)]
    lines += [b"q2 Q0 a 1 1 t", b"q9 Q0 a 1 3 t", b"q9 Q0 b 2 2 t", b"q9 Q0 c 3 1 t", b"q1 Q0 p5 5 1 t"]
    path = file(b"\n".join(lines))
    known = {"q1", "q2"}

    problems = run_problems(Content(path), known_qids=known, max_depth=2)
    skipped = run_problems(Content(path), known_qids=known, skip_unknown=True, max_depth=2)

    assert lines_and_kinds(problems) == [(3, "too many passages"), (6, "unknown query")]
    assert lines_and_kinds(skipped) == [(3, "too many passages")]
    with pytest.raises(InvalidFile, match="line 3: query q1 has more than 2 passages"):
        read_run_file(Content(path), max_depth=2)
    with pytest.raises(InvalidFile, match="line 3"):
        read_run_file(Content(path), known_qids=known, skip_unknown=True, max_depth=2)
    assert read_run_file(Content(path), max_depth=5).report.depth == 5
    assert not run_problems(Content(path), max_depth=5).total


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_a_problem_has_the_beginning_of_its_line(file, pack):
    lines = [b"q1 Q0 a one 3.0 t", b"q1 Q0 " + b"p" * 301 + b" 2 0.2 t", b"q1 Q0 \xff 3 0.1 t"]

    problems = run_problems(Content(file(pack(b"\n".join(lines)))))

    first, long, broken = (one.text for one in problems.listed)
    assert first == "q1 Q0 a one 3.0 t"
    assert long == "q1 Q0 " + "p" * 114 + "…"
    assert broken == "q1 Q0 � 3 0.1 t"
