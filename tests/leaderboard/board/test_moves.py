"""Rank moves between versions, on the queries both cover."""

import pytest

from leaderboard.board.moves import rank_moves
from tests.factories import make_run
from tests.web.conftest import Harbour
from tournament.models import QrelVersion

pytestmark = pytest.mark.django_db


@pytest.fixture
def harbour():
    """Version 1: q1 b, q2 s, q3 a cycle. Version 2: q1 a, and a query that version 1 does not cover."""
    made = Harbour()
    made.publish()
    made.add_queries(1)
    pair = made.campaign.pairs.get(
        query__qid="q1", passage_a__pid__in=["a", "b"], passage_b__pid__in=["a", "b"]
    )
    for _ in range(3):
        made.campaign.judgments.create(
            pair=pair,
            left=made.passage("a"),
            right=made.passage("b"),
            preferred=made.passage("a"),
            judge_kind="human",
        )
    made.publish()
    return made


def moves(harbour, *tags, **options):
    runs = sorted(harbour.collection.runs.filter(run_tag__in=tags), key=lambda run: run.run_tag)
    one, other = QrelVersion.objects.order_by("number")
    return rank_moves(collection=harbour.collection, before=one, after=other, runs=runs, **options)


def test_a_run_rises_when_its_top_becomes_the_best_answer(harbour):
    make_run(harbour.collection, "first-a", {"q1": ["a"]})
    make_run(harbour.collection, "first-b", {"q1": ["b"]})

    found = moves(harbour, "first-a", "first-b")

    assert found.queries == 3  # the query that only version 2 covers is ignored
    assert found.ranks == {"first-a": (2, 1), "first-b": (1, 2)}
    assert (found.move("first-a"), found.move("first-b"), found.move("nobody")) == (1, -1, None)


def test_equal_runs_share_a_rank_and_hidden_queries_play_no_part(harbour):
    make_run(harbour.collection, "first-a", {"q1": ["a"]})
    make_run(harbour.collection, "first-b", {"q1": ["b"]})

    found = moves(harbour, "first-a", "first-b", hidden=frozenset({"q1"}))

    assert found.queries == 2
    assert set(found.ranks.values()) == {(1, 1)}


def test_versions_that_share_no_query_rank_nobody(harbour):
    found = moves(harbour, "quay", hidden=frozenset({"q1", "q2", "q3"}))

    assert (found.queries, found.ranks) == (0, {})
