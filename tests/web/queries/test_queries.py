"""The list of queries: values, filters, order, and what visitors do not see."""

import pytest
from django.db.models import F
from django.test import Client

from pooling.models import PooledPassage, PrivateQuery, Query, QuerySplit
from tests.factories import make_run

pytestmark = pytest.mark.one_database

QUERIES = "/collections/harbour/queries/"


def rows(client, **asked):
    return list(client.get(QUERIES, asked).context["page"])


def test_every_query_has_its_values_its_pool_and_its_best_answer(client, published):
    first = rows(client)[0]

    assert (first.query.qid, len(first.values)) == ("q1", 2)
    assert first.answered == sum(value > 0 for value in first.values)
    assert first.status is not None
    assert [passage.pid for passage in first.best] == ["b"]


def test_a_query_in_no_pool_has_a_dash_for_its_pool(client, published):
    PooledPassage.objects.filter(query__qid="q1").delete()

    page = client.get(QUERIES, {"q": "q1"}).content.decode()

    assert '<td class="number">–</td>' in page
    assert '<td class="number">0</td>' not in page


def test_values_stand_in_the_order_of_the_board(client, published):
    scored = client.get(QUERIES).context["scored"]
    means = scored.values.mean(axis=1).tolist()

    assert means == sorted(means, reverse=True)
    assert scored.labels.name == "@1"


def test_the_hardest_come_first_if_asked(client, published):
    means = [row.mean for row in rows(client, sort="hardest")]

    assert means == sorted(means)


def test_queries_are_found_by_words_and_by_what_runs_do(client, published):
    make_run(published.collection, "blank", {"q1": ["nothing of it"]})

    assert [row.query.qid for row in rows(client, q="q2?")] == ["q2"]
    assert all(row.answered == 0 for row in rows(client, show="unanswered"))
    assert "No queries match" in client.get(QUERIES, {"q": "zebra"}).content.decode()


def test_before_any_version_values_are_those_of_the_official_labels(client, harbour):
    reply = client.get(QUERIES)

    assert reply.context["scored"].labels.name == "official"
    assert reply.context["version"] is None


def test_labeled_queries_come_first(client, harbour):
    Query.objects.filter(collection=harbour.collection).update(position=F("position") + 10)
    Query.objects.create(collection=harbour.collection, qid="q0", text="unlabeled?", position=0)

    assert [row.query.qid for row in rows(client)] == ["q1", "q2", "q3", "q0"]


def test_before_any_version_a_query_leads_to_its_page(client, harbour):
    text = client.get(QUERIES).content.decode()

    assert f'href="{QUERIES}{harbour.query("q1").pk}/"' in text


def test_private_queries_are_counted_and_not_listed(member, published):
    client = Client()
    split = QuerySplit.objects.create(collection=published.collection, sha256="0" * 64)
    PrivateQuery.objects.create(split=split, query=published.query("q2"))

    assert "q2" not in [row.query.qid for row in rows(client)]
    assert "1 private query is not shown" in client.get(QUERIES).content.decode()
    assert "q2" in [row.query.qid for row in rows(member)]


def test_best_answers_that_only_private_runs_supplied_are_counted(member, published):
    client = Client()
    published.collection.runs.update(release="private")

    shown = {row.query.qid: ([one.pid for one in row.best], row.hidden) for row in rows(client)}
    everything = {row.query.qid: [one.pid for one in row.best] for row in rows(member)}

    assert sum(hidden for _, hidden in shown.values()) > 0
    for qid, (pids, hidden) in shown.items():
        assert len(pids) + hidden == len(everything[qid])


@pytest.mark.parametrize("asked", [{"sort": "x"}, {"show": "x"}, {"page": "x"}, {"page": "99"}])
def test_nonsense_in_the_address_is_ignored(client, published, asked):
    assert client.get(QUERIES, asked).status_code == 200
