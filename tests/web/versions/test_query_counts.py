"""The number of database queries of a page does not depend on the amount of data."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

pytestmark = pytest.mark.one_database

AT_MOST = 40


def queries_of(client, address):
    client.get(address)  # fills the cache of boards and stores evaluations
    with CaptureQueriesContext(connection) as caught:
        assert client.get(address).status_code == 200
    return len(caught)


@pytest.mark.parametrize(
    "address",
    [
        "/",
        "/collections/harbour/",
        "/collections/harbour/runs/",
        "/collections/harbour/leaderboard/",
        "/collections/harbour/analyses/progress/",
        "/collections/harbour/versions/1/",
        "/collections/harbour/versions/2/changes/",
        "/campaigns/spring/",
    ],
)
def test_more_rows_cost_no_more_queries(client, harbour, address):
    harbour.publish()
    harbour.add_queries(3)
    harbour.publish()
    few = queries_of(client, address)
    harbour.add_runs(20)
    harbour.add_campaigns(10)
    harbour.add_queries(30)
    harbour.publish()

    assert queries_of(client, address) <= few <= AT_MOST


@pytest.mark.parametrize("address", ["challenge", "publish"])
def test_more_runs_and_challenges_cost_no_more_queries(member, harbour, address):
    harbour.publish()
    few = queries_of(member, f"/campaigns/spring/{address}/")
    harbour.add_runs(20)
    harbour.add_queries(10)
    harbour.publish()

    assert queries_of(member, f"/campaigns/spring/{address}/") <= few <= AT_MOST


def test_a_query_costs_the_same_with_a_larger_pool(client, published):
    address = reverse("web:query", args=["harbour", 1, published.query("q1").pk])
    few = queries_of(client, address)
    for number in range(12):
        published.pooled("q1", **{f"x{number}": [published.quay]})
        published.prefer("q1", ("b", f"x{number}"))

    assert queries_of(client, address) <= few <= AT_MOST


def test_texts_of_changes_cost_no_query_each(cast):
    address, owner = "/collections/harbour/versions/1/changes/", cast.clients["owner"]

    owner.get(address)
    with CaptureQueriesContext(connection) as caught:
        page = owner.get(address).content.decode()

    assert "text of " in page
    single = [one["sql"] for one in caught if '"pooling_passage"."id" = ' in one["sql"]]
    assert single == []
