"""A query's page: the ranks of its passages in runs, and the words of the query in them."""

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse

from pooling.runs.runs import tops_of
from tests.factories import make_run
from web.templatetags.words import with_question_words
from web.versions.query_ranks import rank_table

pytestmark = pytest.mark.one_database


def page(client, harbour, qid="q1"):
    reply = client.get(reverse("web:query", args=["harbour", 1, harbour.query(qid).pk]))
    assert reply.status_code == 200
    return reply


def ranks(reply):
    table = reply.context["ranks"]
    return {one.run.run_tag: dict(zip(table.letters, one.ranks, strict=True)) for one in table.rows}


def test_runs_stand_in_the_order_of_the_board_with_their_ranks(member, published):
    make_run(published.collection, "abyss", {"q1": [f"p{n}" for n in range(12)] + ["b"]})
    reply = page(member, published)
    letters = {line.letter: line.passage.pid for line in reply.context["lines"]}

    found = ranks(reply)

    assert {"quay", "mole", "abyss"} <= set(found)
    assert 1 in found["quay"].values() or 1 in found["mole"].values()
    assert set(found["abyss"].values()) == {None}  # rank 13 is below the depth
    assert set(found["quay"]) == set(letters)


def test_a_passage_that_no_run_ranks_has_no_column(member, published):
    query = published.query("q1")
    passages = [("A", "nowhere"), ("B", tops_of(published.collection.runs.get(run_tag="quay"))["q1"][0])]

    table = rank_table(published.collection, query, passages, (), get_user_model().objects.get())

    assert (table.letters, table.unranked) == (["B"], 1)


def test_only_a_best_answer_stands_out_at_rank_1(member, published):
    reply = page(member, published)
    best = {line.letter for line in reply.context["lines"] if line.best}
    table = reply.context["ranks"]

    for row in table.rows:
        first = table.letters[row.ranks.index(1)] if 1 in row.ranks else None
        assert row.good_first == (table.letters.index(first) if first in best else None)
    assert {row.good_first is None for row in table.rows} == {True, False}


def test_runs_that_are_not_public_show_no_ranks_to_others(member, published):
    published.collection.runs.filter(run_tag="mole").update(release="scores")

    assert "mole" in ranks(page(member, published))
    assert set(ranks(page(Client(), published))) == {"quay"}


def test_without_public_runs_there_is_no_table(member, published):
    published.collection.runs.update(release="scores")

    assert page(Client(), published).context["ranks"] is None


def test_words_of_the_question_are_marked_and_the_rest_stays_text():
    text = with_question_words("A <b>canal</b> lock & its gates", "how does a canal lock work", "en")

    assert text == "A &lt;b&gt;<mark>canal</mark>&lt;/b&gt; <mark>lock</mark> &amp; its gates"
