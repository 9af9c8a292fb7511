"""A run query by query: filters, orders, and what visitors do not see."""

import pytest
from django.test import Client

from pooling.models import Collection, PassageSource

pytestmark = pytest.mark.one_database


def lines(client, run, **asked):
    return list(client.get(f"/collections/harbour/runs/{run.pk}/", asked).context["page"])


def qids(client, run, **asked):
    return [line.query.qid for line in lines(client, run, **asked)]


def test_a_query_leads_to_the_text_on_top_and_to_its_page(member, published):
    page = member.get(f"/collections/harbour/runs/{published.quay.pk}/").content.decode()
    first = lines(member, published.quay)[0]

    assert first.text
    assert first.text[:40] in page
    assert f"/versions/1/queries/{first.query.pk}/" in page


def test_tops_without_text_lead_members_to_where_texts_come_from(cast):
    passages = cast.collection.passages
    address = f"/collections/harbour/runs/{cast.quay.pk}/"
    passages.update(text="something")
    assert "no text yet" not in cast.clients["owner"].get(address).content.decode()

    passages.update(text="")

    assert "Add passage files" in cast.clients["owner"].get(address).content.decode()
    assert "no text yet" not in cast.clients["viewer"].get(address).content.decode()
    PassageSource.objects.create(
        collection=cast.collection, path="texts.tsv", format="tsv", sha256="0", size_bytes=1
    )
    assert "Fetch missing texts" in cast.clients["owner"].get(address).content.decode()


def test_won_and_lost_are_all_covered_queries_once(member, published):
    every = [line.query.qid for line in lines(member, published.quay) if line.covered]

    won, lost = (qids(member, published.quay, show=show) for show in ("won", "lost"))

    assert sorted(won + lost) == sorted(every)
    assert all(line.rank == 1 for line in lines(member, published.quay, show="won"))


def test_tops_that_nobody_judged_are_found(member, published):
    board = published.collection.runs.get(run_tag="quay")
    judged = [line.judged for line in lines(member, board)]

    assert len(qids(member, board, show="unjudged")) == judged.count(False)


@pytest.mark.parametrize(("sort", "reverse"), [("value", False), ("-value", True)])
def test_values_are_sorted_under_the_latest_labels(member, published, sort, reverse):
    values = [line.values[-1] for line in lines(member, published.quay, sort=sort)]

    assert values == sorted(values, reverse=reverse)


def test_values_are_of_the_boards_measure(member, published):
    unanswered = qids(member, published.quay, show="unanswered")
    Collection.objects.update(board_measure="P@10")

    page = member.get(f"/collections/harbour/runs/{published.quay.pk}/").content.decode()

    assert 'class="number">P@10 <span' in page
    assert {line.values[-1] for line in lines(member, published.quay) if line.rank == 1} == {0.1}
    assert qids(member, published.quay, show="unanswered") == unanswered


def test_without_a_version_the_filters_speak_of_relevant_passages(member, harbour):
    filters = member.get(f"/collections/harbour/runs/{harbour.quay.pk}/").context["filters"]

    assert filters["won"] == "relevant passage on top"


def test_the_best_answer_farthest_down_comes_first(member, published):
    ranks = [line.rank or 10**9 for line in lines(member, published.quay, sort="-rank")]

    assert ranks == sorted(ranks, reverse=True)


def test_passages_of_a_run_released_as_scores_are_not_shown(member, published):
    published.quay.release = "scores"
    published.quay.save()

    assert {line.top for line in lines(Client(), published.quay)} == {""}
    assert {line.text for line in lines(Client(), published.quay)} == {""}
    assert any(line.top for line in lines(member, published.quay))


@pytest.mark.parametrize("asked", [{"sort": "x"}, {"show": "x"}, {"page": "x"}])
def test_nonsense_in_the_address_is_ignored(client, published, asked):
    assert lines(client, published.quay, **asked)


def test_the_list_of_runs_has_their_ranks_and_values(client, published):
    reply = client.get("/collections/harbour/runs/")

    rows = {run.run_tag: row for run, row in reply.context["lines"]}
    assert {row.leading.rank for row in rows.values()} <= {1, 2}
    assert "Preference MRR@10" in reply.content.decode()


def test_before_any_version_the_list_has_official_values(client, harbour):
    page = client.get("/collections/harbour/runs/").content.decode()

    assert "Official MRR@10" in page
    assert "Preference MRR@10" not in page
