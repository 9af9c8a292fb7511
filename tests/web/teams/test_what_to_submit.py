"""What teams read about the runs that a board accepts, and the candidates that they rerank."""

from datetime import timedelta

import pytest

from pooling.labels.query_splits import keep_split, plan_split
from pooling.teams.rounds import set_round
from tests.factories import make_run

from .conftest import CLOSES

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def test_teams_and_visitors_read_what_to_submit(board):
    board.collection.max_run_depth = 100
    board.collection.save(update_fields=["max_run_depth"])

    for team, address in (("late", "runs/send/"), ("late", "teams/"), (None, "teams/")):
        page = board.get(team, f"/collections/harbour/{address}").content.decode()
        assert "What to submit" in page
        assert "<strong>Subtask</strong>: Where its candidates come from. fullrank: it retrieves" in page
        assert "at most 100 passages per query" in page
        assert "top.txt</span>: 3 queries, up to 2 passages each" in page


def test_teams_read_that_a_round_requires_priorities(cast, at):
    set_round(
        collection=cast.collection, name="2026", opens_at=CLOSES, closes_at=CLOSES + timedelta(days=9),
        most_runs=3, priorities=True, who="owner",
    )  # fmt: skip

    page = cast.clients["submitter"].get("/collections/harbour/teams/").content.decode()

    assert "<strong>Priority in the round 2026</strong>: The team&#x27;s own order of its runs" in page
    assert "Official runs need priorities from 1 to 3, each once." in page


def test_a_board_without_requirements_says_nothing_of_them(cast):
    page = cast.clients["submitter"].get("/collections/harbour/runs/send/").content.decode()

    assert "What to submit" not in page


def test_those_who_submit_download_the_candidates(board):
    address = "/collections/harbour/files/candidates.txt"

    form = board.get("late", "/collections/harbour/runs/send/").content.decode()
    file = board.get("late", address)

    assert f'href="{address}"' in form
    assert file.content.decode().splitlines() == [
        "q1 Q0 a 1 2.0 candidates",
        "q1 Q0 b 2 1.0 candidates",
        "q2 Q0 a2 1 1.0 candidates",
        "q3 Q0 a3 1 1.0 candidates",
    ]
    assert board.get(None, address).status_code in (302, 403, 404)
    assert address not in board.get(None, "/collections/harbour/teams/").content.decode()


def test_the_candidates_of_private_queries_stay_hidden(board):
    keep_split(board.collection, plan_split(board.collection, qids=["q2"]))

    file = board.get("late", "/collections/harbour/files/candidates.txt").content.decode()

    assert "q1" in file
    assert "q2" not in file
    assert (
        "q2" in board.cast.clients["owner"].get("/collections/harbour/files/candidates.txt").content.decode()
    )


def test_a_team_sees_its_name_on_the_board_under_embargo(board):
    make_run(
        board.collection,
        "veiled",
        {"q1": ["a"]},
        release="scores",
        team="hidden",
        anonymous_until="2026-09-01",
    )
    page = "/collections/harbour/leaderboard/?column=team"

    assert "hidden</bdi>" in board.get("hidden", page).content.decode()
    assert "hidden</bdi>" not in board.get("late", page).content.decode()
    pair = "/collections/harbour/two-runs/?a=veiled&b=quay"
    assert "hidden</bdi>" in board.get("hidden", pair).content.decode()
    assert "hidden</bdi>" not in board.get("late", pair).content.decode()
