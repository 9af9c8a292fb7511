"""Files of versions: streamed in parts of limited size, with a fixed number of database queries."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tournament import models
from web.common import row_files as version_files
from web.common.row_files import Rows, in_parts, written

VERSION = "/collections/harbour/versions/1/"


def lines_and_queries(client, address):
    models._CONTENTS.clear()  # as in a new process
    with CaptureQueriesContext(connection) as caught:
        reply = client.get(address)
        assert reply.status_code == 200
        text = b"".join(reply.streaming_content) if reply.streaming else reply.content
    return text.count(b"\n"), len(caught)


def test_parts_grow_and_have_every_row_once():
    rows = list(range(10_000))

    parts = list(in_parts(rows))

    assert [len(part) for part in parts] == [150, 600, 2400, 4000, 2850]
    assert [row for part in parts for row in part] == rows
    assert list(in_parts([])) == []


@pytest.mark.parametrize("form", version_files.FORMS)
def test_many_lines_are_few_pieces(form):
    rows = [{"qid": str(number), "query": "a" * 50} for number in range(2000)]

    pieces = list(written(Rows("all", ["qid", "query"], rows), form))

    assert "".join(pieces).count("\n") == 2000 + (form == "csv")
    assert len(pieces) < 30


@pytest.mark.one_database
@pytest.mark.parametrize("file", ["queries.csv", "queries.jsonl", "qrels.txt", "changes.csv"])
@pytest.mark.parametrize("person", ["owner", "nobody"])
def test_more_lines_of_a_file_cost_no_more_queries(cast, file, person):
    cast.add_queries(2)
    cast.publish()
    cast.add_queries(30)
    cast.publish()
    client = cast.clients[person]
    few, cost = lines_and_queries(client, f"/collections/harbour/versions/2/{file}")

    many, dearer = lines_and_queries(client, f"/collections/harbour/versions/3/{file}")

    assert many > few
    assert dearer <= cost


@pytest.mark.one_database
def test_a_file_is_asked_for_part_by_part(cast, monkeypatch):
    cast.add_queries(20)
    cast.publish()
    address = "/collections/harbour/versions/2/queries.csv"
    whole, once = lines_and_queries(cast.clients["owner"], address)
    monkeypatch.setattr(version_files, "FIRST_ROWS", 10)

    in_two, twice = lines_and_queries(cast.clients["owner"], address)

    assert in_two == whole == 24
    assert 0 < twice - once <= 4


@pytest.mark.parametrize(
    ("address", "times"), [("queries/{key}/", 1), ("bundle/", 0), ("", 0), ("qrels.txt", 0)]
)
def test_a_manifest_is_read_once_for_a_page_or_not_at_all(cast, monkeypatch, address, times):
    read = []

    class Counting:
        @staticmethod
        def loads(text):
            read.append(text)
            return json.loads(text)

    page = VERSION + address.format(key=cast.query("q1").pk)
    cast.clients["owner"].get(page)  # compares the version with current judgments, and caches the result
    monkeypatch.setattr(models, "json", Counting)
    monkeypatch.setattr(models, "_CONTENTS", {})

    reply = cast.clients["owner"].get(page)

    assert reply.status_code == 200
    assert len(read) == times
    cast.clients["owner"].get(page)
    assert len(read) == times, "the process keeps it"
