"""Files of another kind than expected are recognized."""

import gzip
import re

import pytest

from pooling.errors import InvalidFile
from pooling.files.formats import Content
from pooling.files.mistaken_files import where_it_belongs
from pooling.files.texts import passage_problems, query_problems
from pooling.files.trec import read_run_file, run_problems

pytestmark = pytest.mark.one_database


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"q1 0 p1 1", "This looks like relevance labels (qrels)."),
        (b"2 Q0 p77 -1", "This looks like relevance labels (qrels)."),
        (b"q1 Q0 p1 1 12.5 tag", "This looks like a TREC run."),
        (b"q1 Q0 p1 0 -1e-3 tag", "This looks like a TREC run."),
        (b"q1 how do bees make honey", "This looks like queries or passages"),
        (b"17 what is a canal lock and what is it for", "This looks like queries or passages"),
        (b"q1 p1", "This looks like queries or passages"),
        (b"q1 Q0 p1 one high tag", ""),
        (b'{"q1": {"p1": 1.0}}', "This looks like JSON."),
        (b"q1,Q0,p1,1,3.0,t", "The columns seem to be separated by commas."),
        (b"q1 p1 1", ""),
        (b"q1", ""),
    ],
)
def test_a_line_says_what_the_file_is(line, said):
    found = str(where_it_belongs(line.split()))

    assert found.startswith(said) if said else not found


def test_labels_that_were_sent_as_a_run_are_led_to_the_labels(tmp_path):
    path = tmp_path / "run.txt"
    path.write_text("q1 0 p1 1\n")

    with pytest.raises(InvalidFile, match="4 columns") as refused:
        read_run_file(Content(path))

    assert "import_qrels" in str(refused.value.next_step)


@pytest.mark.parametrize(
    ("content", "line", "reason", "next_step"),
    [
        (
            "17\twhat is a lock\n18\thow do bees make honey\n",
            1,
            "10 columns|4 columns|5 columns",
            "queries or passages",
        ),
        ("17\twhat is umami\n18\twho\n", 1, "not 6", "queries or passages"),
        ("17\twhat is produced by bees\n", 1, "the rank 'produced' is not an integer", "queries or passages"),
        ('{"q1": {"p1": 1.0}}\n', 1, "is not an integer", "JSON"),
        ("q1,Q0,p1,1,3.0,t\n", 1, "the line has 1 column, not", "commas"),
        ("q1 Q0 p1 1 3.0 t\nq1 0 p2 1\n", 2, "the line has 4 columns, not 6", "relevance labels"),
        ("q1 Q0 p1 1 3.0 t\nq1 Q0 p2 1\n", 2, "the line has 4 columns, not 6", "cut off"),
        ("q1 Q0 p1 1 3.0 t\na few stray words\n", 2, "the line has 4 columns, not 6", "cut off"),
    ],
)
def test_other_files_than_runs_say_what_they_look_like(tmp_path, content, line, reason, next_step):
    path = tmp_path / "run.txt"
    path.write_text(content)

    first = run_problems(Content(path, "run.txt")).listed[0]

    assert first.line == line
    assert re.search(reason, first.reason)
    assert next_step in str(first.next_step)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("q1 0 p1 1\nq1 0 p2 0\n", "relevance labels"),
        ("q1\t0\tp1\t1\nq1\t0\tp2\t0\n", "relevance labels"),
        ("q1 Q0 p1 1 3.0 t\n", "TREC run"),
    ],
)
def test_labels_and_runs_sent_as_queries_are_recognized_and_their_lines_shown(tmp_path, content, said):
    path = tmp_path / "queries.tsv"
    path.write_text(content)

    for problems in (query_problems, passage_problems):
        first = problems(Content(path)).listed[0]
        assert said in str(first.next_step)
        assert first.text in content


def test_json_with_the_id_of_the_other_kind_is_recognized(tmp_path):
    queries, texts = tmp_path / "queries.jsonl", tmp_path / "passages.jsonl"
    queries.write_text('{"qid": "q1", "query": "what is a lock"}\n')
    texts.write_text('{"pid": "p1", "passage": "A lock is a gate."}\n')

    assert "looks like passages" in str(query_problems(Content(texts)).listed[0].next_step)
    assert "looks like queries" in str(passage_problems(Content(queries)).listed[0].next_step)
    assert not query_problems(Content(queries)).total + passage_problems(Content(texts)).total


def test_a_repeated_query_and_a_line_without_a_tab_are_not_another_kind_of_file(tmp_path):
    path = tmp_path / "queries.tsv"
    path.write_text("17\thow do bees\n17\thow do bees make honey\n18 what is a lock\n")

    assert not any("looks like" in str(one.next_step) for one in query_problems(Content(path)).listed)


def test_the_line_of_a_passage_file_is_shown_with_its_problem(tmp_path):
    path = tmp_path / "passages.tsv"
    path.write_text("p1\tsome words\np2 no tab at all\n")

    assert [one.text for one in passage_problems(Content(path)).listed] == ["p2 no tab at all"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("q1 Q0 p1 1 3.0 t\n".encode("utf-16"), "UTF-16"),
        (b"\x7fELF\x02\x01\x01" + bytes(60) + b"\n", "not text"),
        (gzip.compress("q1 Q0 p1 1 3.0 t\n".encode("utf-16")), "UTF-16"),
    ],
    ids=["UTF-16", "a program", "compressed"],
)
def test_what_is_no_text_is_one_problem(tmp_path, content, said):
    path = tmp_path / "run.txt"
    path.write_bytes(content)

    problems = run_problems(Content(path))

    assert problems.total == 1
    assert said in problems.listed[0].reason


def test_a_cut_archive_is_one_problem_at_its_last_line(tmp_path):
    path = tmp_path / "run.txt.gz"
    lines = "".join(f"q{number} Q0 p{number * 7919 % 10007} 1 3.0 t\n" for number in range(9000))
    path.write_bytes(gzip.compress(lines.encode())[:-4000])

    problems = run_problems(Content(path))

    assert problems.total == 1
    assert problems.listed[0].line > 1
