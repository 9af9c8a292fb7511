"""The map of queries and runs: its cells, orders and pages, and what visitors do not see."""

from statistics import pstdev

import pytest
from django.test import Client

from pooling.models import PrivateQuery, QuerySplit
from tests.factories import make_run
from web.queries import query_map

pytestmark = pytest.mark.one_database

MAP = "/collections/harbour/queries/map/"


def drawn(client, **asked):
    return client.get(MAP, asked).context["drawn"]


def test_a_cell_is_the_rank_of_the_best_answer(client, published):
    make_run(published.collection, "second", {"q1": ["nothing", "b"]})

    found = drawn(client)
    row = next(row for row in found.rows if row.query.qid == "q1")
    cell = row.cells[[run.run_tag for run in found.runs].index("second")]

    assert (cell.rank, cell.value, cell.shade) == (2, 0.5, 4)
    page = client.get(MAP).content.decode()
    assert '<td class="number shade-4">2</td>' in page
    assert '<td class="number shade-0">–</td>' in page
    assert '<td class="number shade-4">0.5000</td>' in client.get(MAP, {"measure": "RR@10"}).content.decode()


def test_without_a_version_the_map_speaks_of_relevant_passages(client, harbour):
    page = client.get(MAP).content.decode()
    assert "rank of the relevant passage" in page
    assert "best answer" not in page


def test_the_best_run_is_on_the_left_and_its_name_leads_to_it(client, published):
    found = drawn(client)
    means = found.scored.values.mean(axis=1).tolist()

    assert means == sorted(means, reverse=True)
    assert [run.pk for run in found.runs] == [run.pk for run in found.scored.runs]
    assert f"/collections/harbour/runs/{found.runs[0].pk}/" in client.get(MAP).content.decode()


def test_queries_are_ordered_by_how_hard_they_are(client, published):
    make_run(published.collection, "half", {"q1": ["nothing", "b"]})
    means = [row.mean for row in drawn(client).rows]

    assert means == sorted(means)
    assert len(set(means)) > 1
    assert [row.mean for row in drawn(client, order="easiest").rows] == sorted(means, reverse=True)
    assert [row.query.qid for row in drawn(client, order="file").rows][:2] == ["q1", "q2"]
    spread = [pstdev([cell.value for cell in row.cells]) for row in drawn(client, order="differing").rows]
    assert spread == sorted(spread, reverse=True)
    assert spread[0] > spread[-1]


def test_many_queries_and_runs_are_paged_below_an_overview_of_all(client, published, monkeypatch):
    monkeypatch.setattr(query_map, "QUERIES_A_PAGE", 1)
    monkeypatch.setattr(query_map, "RUNS_A_PAGE", 1)

    found = drawn(client, page=2, runs=2)

    assert (len(found.rows), len(found.runs)) == (1, 1)
    assert found.runs[0] == found.scored.runs[1]
    assert found.overview.rows == found.page.paginator.count
    assert (found.marked.left, found.marked.top, found.marked.width, found.marked.height) == (1, 1, 1, 1)
    page = client.get(MAP, {"page": 2, "runs": 2}).content.decode()
    assert 'class="map-overview"' in page
    assert "runs 2–2 of 2" in page
    assert 'role="img" aria-label="All' in page


def test_a_map_that_fits_needs_no_overview(client, published):
    assert drawn(client).overview is None
    assert "style=" not in client.get(MAP).content.decode()


def test_private_queries_are_counted_and_not_drawn(member, published):
    split = QuerySplit.objects.create(collection=published.collection, sha256="0" * 64)
    PrivateQuery.objects.create(split=split, query=published.query("q2"))
    visitor = Client()

    assert "q2" not in [row.query.qid for row in drawn(visitor).rows]
    assert "1 private query is not shown" in visitor.get(MAP).content.decode()
    assert "q2" in [row.query.qid for row in drawn(member).rows]


def test_runs_that_are_private_are_not_drawn(member, published):
    published.collection.runs.filter(run_tag="mole").update(release="private")

    assert "mole" in [run.run_tag for run in drawn(member).runs]
    assert "mole" not in [run.run_tag for run in drawn(Client()).runs]


def test_without_runs_the_page_says_what_is_missing(client, published):
    published.collection.runs.update(release="private")

    assert "needs runs, and labels for at least one query" in Client().get(MAP).content.decode()


@pytest.mark.parametrize("asked", [{"order": "x"}, {"measure": "x"}, {"page": "x"}, {"runs": "99"}])
def test_nonsense_in_the_address_is_ignored(client, published, asked):
    assert client.get(MAP, asked).status_code == 200
