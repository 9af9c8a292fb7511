"""Query and passage files in all supported formats."""

import pytest

from pooling.errors import EmptyFile, InvalidFile, InvalidPassageFile, InvalidQueryFile
from pooling.files import texts
from pooling.files.formats import Content
from pooling.files.texts import (
    format_of,
    passage_problems,
    query_problems,
    read_passages,
    read_qids,
    read_query_file,
)


@pytest.fixture
def content(tmp_path):
    def make(text: str | bytes) -> Content:
        path = tmp_path / "file"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return Content(path, "file")

    return make


@pytest.mark.parametrize(
    "text",
    [
        "1\twho\r\n2\twhat is\n",
        '{"qid": 1, "query": "who"}\n{"qid": "2", "query": "what is"}',
        '{"_id": "1", "text": "who"}\n\n{"_id": "2", "text": "what is", "metadata": {}}\n',
        '{"id": "1", "title": "who"}\n{"id": "2", "title": "what is"}\n',
    ],
)
def test_queries_are_read_in_every_form(content, text):
    assert [(q.id, q.text) for q in read_query_file(content(text))] == [("1", "who"), ("2", "what is")]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1\twho\n1\twhat\n", "line 2: query 1 already appears on line 1"),
        ("1\twho\n2\t \n", "line 2: query 2 has no text"),
        ("1\twho\nwhat\n", "line 2: the line has no tab"),
        ('1\twho\n{"qid": 2}\n', "line 2: the line has no text"),
        ('1\twho\n{"query": "x"}\n', "line 2: the line has no id"),
        ("1\twho\n{oops\n", "line 2: the line is not JSON"),
        ('{"qid": "2", "query": "\\ud800"}\n', "line 1: .*surrogate"),
        ("1\twho\n2\t" + "x" * 100_001, "line 2: the text is longer than 100,000 characters"),
        ("1\twho\n" + "x" * 201 + "\twhat\n", "line 2: the id is longer than 200"),
    ],
)
def test_a_bad_query_is_named(content, text, reason):
    with pytest.raises(InvalidQueryFile, match=reason):
        read_query_file(content(text))


def test_a_text_that_is_too_long_is_to_be_shortened(content):
    [problem] = query_problems(content("1\twho\n2\t" + "x" * 100_001)).listed

    assert problem.next_step == "Shorten the text."


def test_more_queries_than_can_be_held_are_refused(content, monkeypatch):
    monkeypatch.setattr(texts, "MOST_QUERIES", 2)
    assert len(read_query_file(content("1\twho\n2\twhat\n"))) == 2

    with pytest.raises(InvalidQueryFile, match="line 3: the file contains more than 2 queries"):
        read_query_file(content("1\twho\n2\twhat\n3\twhen\n"))
    [problem] = query_problems(content("1\twho\n2\twhat\n3\twhen\n")).listed
    assert problem.line == 3


def test_a_file_without_queries_is_refused(content):
    with pytest.raises(EmptyFile):
        read_query_file(content("\n"))


def test_queries_can_be_named_one_a_line(content):
    assert read_qids(content('7\n8\tsome text\n{"qid": 9}\n7\n')) == ["7", "8", "9"]


PASSAGES = {
    "tsv": "p1\tone\np2\ttwo\ttabs\np3\tthree\n",
    "msmarco v2": (
        '{"pid": "p1", "passage": "one", "spans": "(0,1)", "docid": "d"}\n'
        '{"pid": "p2", "passage": "two\\ttabs"}\n{"pid": "p3", "passage": "three"}\n'
    ),
    "beir": (
        '{"_id": "p1", "title": "", "text": "one", "metadata": {"id": "p9"}}\n'
        '{"metadata": {"id": "p9"}, "_id": "p2", "text": "two\\ttabs"}\n{"text": "three", "_id": "p3"}\n'
    ),
    "escaped": (
        '{"id":"p1","contents":"one"}\n{"id":"\\u00702","contents":"two\\ttabs"}\n'
        '{"id":"p3","contents":"three"}'
    ),
}


@pytest.mark.parametrize("form", PASSAGES)
def test_wanted_passages_are_read_in_every_form(content, form):
    file = content(PASSAGES[form])
    kind = format_of(file)

    found = {p.id: p.text for p in read_passages(file, kind, {"p1", "p2"}) if p.id in {"p1", "p2"}}
    everything = [p.id for p in read_passages(content(PASSAGES[form]), kind)]

    assert found == {"p1": "one", "p2": "two\ttabs"}
    assert everything == ["p1", "p2", "p3"]


def test_a_title_stands_above_the_text(content):
    text = '{"_id": "1", "title": "Rome", "text": "A city."}\n'

    assert next(read_passages(content(text), "jsonl")).text == "Rome\nA city."


def test_a_file_of_another_form_is_refused(content):
    with pytest.raises(InvalidPassageFile, match="line 2: the line is neither"):
        format_of(content("\nno tab here\n"))


def test_a_bad_passage_is_named_when_it_is_wanted(content):
    file = content(b"p1\tone\np2\t\xff\n")

    with pytest.raises(InvalidFile, match="line 2: the line is not UTF-8"):
        list(read_passages(file, "tsv", {"p2"}))


def test_every_line_of_a_passage_file_is_looked_at(content):
    lines = ["p1\tone", "no tab", "p2\ttwo", "p1\tagain", "", '{"pid": "p2", "passage": "again"}', "{broken"]

    found = passage_problems(content("\n".join(lines)))

    assert [(one.line, one.kind) for one in found.listed] == [
        (2, "format"),
        (4, "repeated passage"),
        (6, "repeated passage"),
        (7, "format"),
    ]
    assert found.listed[1].reason == "this passage already appears on line 1."
    assert found.counts == {"format": 2, "repeated passage": 2}
    assert passage_problems(content("p1\tone\np2\ttwo\n")).total == 0
    assert passage_problems(content("\n")).listed[0].reason == "the file has no passages."
