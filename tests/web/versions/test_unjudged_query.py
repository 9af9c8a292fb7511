"""A query's page before any version covers it: the pool, labels, texts and ranks that a person can see."""

import pytest
from django.test import Client
from django.urls import reverse

from pooling.models import Passage, PooledPassage, PrivateQuery, Qrel, QrelSet, Query, QuerySplit
from tests.factories import make_run
from web.versions import unjudged_query

pytestmark = pytest.mark.one_database


def address(harbour, qid="q1"):
    return reverse("web:collection_query", args=["harbour", harbour.query(qid).pk])


def lines(client, harbour, qid="q1"):
    reply = client.get(address(harbour, qid))
    assert reply.status_code == 200
    return {line.pid: line for line in reply.context["lines"]}


def test_pool_labels_texts_and_ranks_are_shown_before_any_version(member, harbour):
    reply = member.get(address(harbour))
    text, found = reply.content.decode(), lines(member, harbour)
    pooled = PooledPassage.objects.filter(query=harbour.query("q1")).values_list("passage__pid", flat=True)

    assert set(found) >= set(pooled)
    assert next(iter(found.values())).official  # the known relevant passage comes first
    assert all(line.text in text for line in found.values())
    assert {one.run.run_tag for one in reply.context["ranks"].rows} == {"quay", "mole", "deep"}
    assert any(line.runs for line in found.values())
    assert "supplied by" in text
    assert "top passage of" not in text  # a pool can be deeper than the top passages


def test_before_any_pool_it_shows_labels_and_what_runs_have_on_top(client, harbour):
    query = Query.objects.create(collection=harbour.collection, qid="q9", text="anything?", position=9)
    make_run(harbour.collection, "open", {"q9": ["z"]}, release="public")
    make_run(harbour.collection, "shy", {"q9": ["y"]}, release="private")

    found = lines(client, harbour, "q9")

    assert [(pid, [run.run_tag for run in line.runs]) for pid, line in found.items()] == [("z", ["open"])]
    assert "not in a pool yet" in client.get(address(harbour, query.qid)).content.decode()


def test_grades_say_whether_they_make_a_passage_relevant(client, harbour):
    query = Query.objects.create(collection=harbour.collection, qid="q9", text="anything?", position=9)
    official = QrelSet.objects.get(collection=harbour.collection)
    QrelSet.objects.update(min_grade=2)
    for position, (pid, grade) in enumerate({"known": 3, "good": 2, "poor": 1}.items()):
        passage = Passage.objects.create(collection=harbour.collection, pid=pid)
        Qrel.objects.create(
            qrel_set=official, query=query, passage=passage, grade=grade, position=900 + position
        )
    make_run(harbour.collection, "fine", {"q9": ["good"]}, release="public")
    make_run(harbour.collection, "bad", {"q9": ["poor"]}, release="public")

    reply = client.get(address(harbour, "q9"))
    page, table = reply.content.decode(), reply.context["ranks"]

    assert "official qrel, grade 3, relevant" in page
    QrelSet.objects.update(name="sparse")
    assert "sparse qrel, grade 3, relevant" in client.get(address(harbour, "q9")).content.decode()
    assert '<span class="tag good">grade 2, relevant</span>' in page
    assert '<span class="tag">grade 1, not relevant</span>' in page
    assert {row.run.run_tag for row in table.rows if row.good_first is not None} == {"fine"}


def test_passages_supplied_only_by_other_runs_are_shown_only_to_members(member, harbour):
    harbour.collection.runs.update(release="private")
    everything = lines(member, harbour)

    assert set(lines(Client(), harbour)) < set(everything)


def test_withheld_labels_do_not_show(member, harbour):
    QrelSet.objects.filter(collection=harbour.collection).update(withheld=True)
    alone = Passage.objects.get(collection=harbour.collection, pid="a")
    PooledPassage.objects.filter(query=harbour.query("q1"), passage=alone).update(run_ids=[])
    shown = lines(Client(), harbour)

    assert all(line.grade is None and not line.official for line in shown.values())
    assert "a" in lines(member, harbour)
    assert "a" not in shown or shown["a"].runs


def test_visitors_read_that_a_text_is_not_public_while_labels_are_withheld(member, harbour):
    harbour.collection.qrel_sets.update(withheld=True)
    PooledPassage.objects.filter(query=harbour.query("q1")).update(run_ids=[])
    harbour.collection.runs.update(release="public")

    page = Client().get(address(harbour)).content.decode()

    assert "Its text is not public." in page
    assert "No text yet" not in page
    assert "not public" not in member.get(address(harbour)).content.decode()


def test_a_covered_query_leads_to_the_latest_version(client, published):
    reply = client.get(address(published))

    assert reply.status_code == 302
    assert reply.url == reverse("web:query", args=["harbour", 1, published.query("q1").pk])


def test_a_private_query_is_not_found(client, harbour):
    split = QuerySplit.objects.create(collection=harbour.collection, sha256="0" * 64)
    PrivateQuery.objects.create(split=split, query=harbour.query("q1"))

    assert client.get(address(harbour)).status_code == 404


def test_many_passages_are_cut_and_counted(client, harbour, monkeypatch):
    lines_before = lines(client, harbour)
    monkeypatch.setattr(unjudged_query, "PASSAGES_SHOWN", 1)
    reply = client.get(address(harbour))

    assert len(reply.context["lines"]) == 1
    total, page = len(lines_before), reply.content.decode()
    assert f"{total} passages pooled or labeled" in page
    assert total == 2
    assert "1 more passage is not shown." in page
