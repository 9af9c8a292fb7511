"""What a team reads when its runs are used up: which limit, when the next run is accepted, and no form."""

from datetime import timedelta

import pytest

from pooling.teams.rounds import set_round
from pooling.teams.submission_policies import set_policy
from tests.web.preparing_cast import texts

from .conftest import CLOSES

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
FILE_FIELD = 'name="run_files"'


def pages_of(board):
    board.send("honest", "fair", [("q1", "a")], detail="subtask=rerank")
    team = f"/collections/harbour/teams/{board.teams['honest'].pk}/"
    return [board.get("honest", page).content.decode() for page in (team, "/collections/harbour/runs/send/")]


def test_a_round_that_is_used_up_names_the_next_one_and_has_no_form(board):
    set_round(
        collection=board.collection, name="late round", opens_at=CLOSES + timedelta(hours=2),
        closes_at=CLOSES + timedelta(days=9), most_runs=1, who="owner",
    )  # fmt: skip

    for page in pages_of(board):
        assert "The runs of honest are used up: the round 2026 accepts 1 run from each team." in page
        assert "The next run is accepted from 2026-08-01 02:00:00 UTC." in page
        assert "accepted now" not in page
        assert FILE_FIELD not in page
    assert "/runs/send/" not in board.get("honest", "/").content.decode()


def test_the_next_run_is_accepted_once_both_policy_and_a_round_allow_it(board):
    set_policy(collection=board.collection, most_runs=1, period_days=5, required=["subtask"])
    set_round(
        collection=board.collection, name="2026", opens_at=CLOSES - timedelta(days=60),
        closes_at=CLOSES, most_runs=3, who="owner",
    )  # fmt: skip
    pages = pages_of(board)
    assert all("No planned round accepts another run. Ask the organizers." in page for page in pages)

    set_round(
        collection=board.collection, name="late round", opens_at=CLOSES + timedelta(days=1),
        closes_at=CLOSES + timedelta(days=9), most_runs=1, who="owner",
    )  # fmt: skip

    page = board.get("honest", "/collections/harbour/runs/send/").content.decode()
    assert "the policy allows a team 1 run in any 5 days. " in page.replace("</strong>", "")
    assert "The next run is accepted from 2026-08-05 00:00:00 UTC." in page
    assert FILE_FIELD not in page


def test_members_read_that_a_team_has_used_up_its_round(board):
    board.send("honest", "fair", [("q1", "a")], detail="subtask=rerank")
    policy = "/collections/harbour/policy/"

    def line():
        return texts(board.cast.clients["owner"].get(policy)).partition("Next variant from")[2]

    assert "honest 1 0 no planned round no planned round" in line()

    set_round(
        collection=board.collection, name="late round", opens_at=CLOSES + timedelta(days=1),
        closes_at=CLOSES + timedelta(days=9), most_runs=1, who="owner",
    )  # fmt: skip
    assert "honest 1 0 2026-08-02 2026-08-02" in line()


def test_the_form_stays_for_the_baselines_that_are_left(board):
    set_round(
        collection=board.collection, name="2026", opens_at=CLOSES - timedelta(days=60), closes_at=CLOSES,
        most_runs=1, most_baselines=1, who="owner",
    )  # fmt: skip

    team, send = pages_of(board)

    assert "The runs of honest are used up" in team
    assert "Baselines are accepted now." in team
    assert "Only baselines are accepted now." in send
    assert FILE_FIELD in send
