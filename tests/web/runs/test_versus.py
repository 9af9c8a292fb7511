"""Two runs on one page: its contents, and what visitors do not see."""

import numpy as np
import pytest
from django.test import Client

from leaderboard.analyses.compare.head_to_head import head_to_head
from pooling.models import PooledPassage, PrivateQuery, Qrel, QrelSet, QuerySplit
from pooling.teams.submission_policies import set_policy
from tournament.models import QrelVersion
from web.runs.versus import verdict_words

pytestmark = pytest.mark.one_database

TWO = "/collections/harbour/two-runs/"


def page(client, **asked):
    reply = client.get(TWO, asked)
    assert reply.status_code == 200
    return reply


def test_two_runs_of_the_board_are_compared_at_once(member, published):
    reply = page(member)

    assert {reply.context["a"], reply.context["b"]} == {"quay", "mole"}
    assert reply.context["found"].queries == 3


@pytest.mark.parametrize("measure", ["nDCG@10", "ESL@10"])
def test_every_difference_has_the_direction_of_the_verdict(member, published, measure):
    for pair in ({"a": "mole", "b": "quay"}, {"a": "quay", "b": "mole"}):
        reply = page(member, labels="official", measure=measure, **pair)
        context, text = reply.context, reply.content.decode()

        higher, lower = context["of"]
        values = [line.difference for line in context["page"] if line.difference is not None]
        assert context["difference"].value == pytest.approx(sum(values) / len(values))
        assert not context["difference"].low > context["difference"].high
        assert context["difference"].value > 0
        assert f"{higher} minus {lower}" in text
        assert f"{higher} − {lower}</th>" in text


def test_one_run_is_compared_with_the_best_of_the_others(member, published):
    assert page(member, b="quay").context["a"] == "mole"
    assert page(member, a="mole").context["b"] == "quay"


def test_a_third_picked_run_is_refused_by_name_of_the_limit(member, published):
    reply = page(member, run=["quay", "mole", "pier"])

    assert "3 runs are chosen, but this page compares two." in reply.content.decode()
    assert "found" not in reply.context
    assert "found" in page(member, run=["quay", "mole", "quay"]).context


def test_any_two_runs_any_labels_and_any_measure(member, published):
    reply = page(member, a="mole", b="quay", labels="official", measure="nDCG@10")

    assert reply.context["measure"].name == "nDCG@10"
    assert reply.context["version"] is None
    shown, details, _ = reply.content.decode().partition("<summary>Details</summary>")
    assert details
    assert "This is one test of two runs chosen by hand." in shown
    other = page(member, a="quay", b="mole", labels="official", measure="nDCG@10")
    assert other.context["found"].difference == pytest.approx(-reply.context["found"].difference)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"a": "nobody", "b": "quay"}, "There is no run"),
        ({"measure": "nonsense"}, "is not a measure"),
        ({"labels": "nothing"}, "nothing"),
    ],
)
def test_missing_objects_are_named(member, published, asked, said):
    assert said in page(member, **asked).content.decode()


def test_both_rankings_of_a_query_are_shown_side_by_side(member, published):
    reply = page(member, query="q1")

    assert [side["run"] for side in reply.context["sides"]] == [reply.context["a"], reply.context["b"]]
    assert all(side["passages"][0].rank == 1 for side in reply.context["sides"])
    assert any(one.relevant for side in reply.context["sides"] for one in side["passages"])


def test_passages_of_a_run_released_as_scores_are_not_shown(member, published):
    published.collection.runs.update(release="scores")

    assert all(side["passages"] for side in page(member, query="q1").context["sides"])
    reply = page(Client(), query="q1")
    assert [side["passages"] for side in reply.context["sides"]] == [[], []]
    assert "Its passages are not released" in reply.content.decode()


def test_visitors_read_that_a_text_is_not_public_while_labels_are_withheld(member, published):
    published.collection.runs.update(release="public")
    published.collection.qrel_sets.update(withheld=True)
    PooledPassage.objects.update(run_ids=[])
    set_policy(collection=published.collection, most_runs=1, period_days=1, per_query_values=True)

    assert "Its text is not public." in page(Client(), query="q1").content.decode()
    assert "not public" not in page(member, query="q1").content.decode()


def test_private_queries_count_for_members_only(member, published):
    split = QuerySplit.objects.create(collection=published.collection, sha256="0" * 64)
    PrivateQuery.objects.create(split=split, query=published.query("q2"))

    assert page(member).context["found"].queries == 3
    shown = page(Client(), query="q2")
    assert shown.context["found"].queries == 2
    assert "opened" not in shown.context


def test_a_private_run_is_not_found_by_others(member, published):
    published.collection.runs.filter(run_tag="mole").update(release="private")

    assert "fewer than two runs" in page(Client()).content.decode()
    assert "mole" not in page(Client()).content.decode()


@pytest.mark.parametrize("sort", ["", "a", "b", "file", "nonsense"])
def test_queries_in_every_order(member, published, sort):
    gains = [line.b - line.a for line in page(member, sort=sort).context["page"]]

    expected = {
        "a": sorted(gains),
        "b": sorted(gains, reverse=True),
        "": sorted(gains, key=lambda one: -abs(one)),
        "nonsense": sorted(gains, key=lambda one: -abs(one)),
    }
    assert gains == expected.get(sort, gains)


def test_nobody_leads_a_tie():
    tied = head_to_head(np.array([1.0, 0.5]), np.array([0.5, 1.0]), higher_is_better=True)

    words = verdict_words("quay", "mole", tied, "MRR@10")

    assert words == "2 queries do not tell them apart: both have the same MRR@10."


def test_every_page_names_the_measure_as_the_leaderboard_does(member, published):
    """The lowest relevant grade of the labels is part of the measure that is computed, but not of its name."""
    Qrel.objects.update(grade=2)
    QrelSet.objects.update(min_grade=2)
    QrelVersion.objects.all().delete()
    addresses = (
        "leaderboard/",
        "two-runs/",
        "queries/",
        "queries/map/?measure=RR@10",
        "analyses/harmless_order/",
    )

    pages = [member.get(f"/collections/harbour/{one}").content.decode() for one in addresses]

    assert [("MRR@10" in one, "rel=2" in one) for one in pages] == [(True, False)] * len(pages)
    explicit = member.get(f"{TWO}?measure=RR(rel=2)@10").content.decode()
    assert "MRR(rel=2)@10" in explicit
