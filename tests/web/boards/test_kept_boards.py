"""Leaderboards are drawn before anybody requests them."""

import pytest

from config.background.models import Job
from config.background.services import start_if_wanted
from leaderboard.board import boards
from pooling.models import Collection, QrelSet
from tests.due_jobs import work_off_everything
from web.boards.jobs import BOARDS, has_boards_to_draw


@pytest.fixture
def drawn(monkeypatch):
    """Record how often a board is drawn."""
    calls = []

    def draw(**asked):
        calls.append(asked)
        return original(**asked)

    original = boards.make_leaderboard
    monkeypatch.setattr(boards, "make_leaderboard", draw)
    return calls


def keep_boards():
    assert start_if_wanted(BOARDS)
    work_off_everything()


def test_the_board_of_a_version_published_on_its_page_is_drawn_in_advance(cast, drawn):
    cast.add_queries(1)
    owner = cast.clients["owner"]
    owner.post("/campaigns/spring/publish/preview", {})
    work_off_everything()
    shown = Job.objects.get(kind="web.preview_version").result["fingerprint"]
    owner.post("/campaigns/spring/publish/now", {"as_shown": shown})
    work_off_everything()
    known = len(drawn)

    for person in ("owner", "nobody"):
        assert "quay" in cast.clients[person].get("/collections/harbour/leaderboard/").content.decode()

    assert Job.objects.filter(kind=BOARDS, state="done").exists()
    assert len(drawn) == known


def test_the_schedule_draws_boards_of_published_versions_and_starts_no_job_otherwise(published, drawn):
    keep_boards()

    assert len(drawn) == 2  # members see the private run, others do not
    assert start_if_wanted(BOARDS) is None


def test_a_new_run_redraws_the_board(published):
    keep_boards()

    published.add_runs(1)

    assert has_boards_to_draw()
    keep_boards()
    assert not has_boards_to_draw()


def test_a_private_collection_draws_only_the_members_board(published, drawn):
    Collection.objects.update(visibility="private")

    keep_boards()

    assert [len(asked["runs"]) for asked in drawn] == [3]


def test_a_board_that_cannot_be_drawn_is_not_tried_every_minute(published):
    QrelSet.objects.update(min_grade=9)  # nothing is relevant, so there is nothing to score

    keep_boards()

    assert not has_boards_to_draw()
    assert Job.objects.get(kind=BOARDS).state == "done"


def test_a_board_that_cannot_be_drawn_still_states_the_reason(published, client):
    QrelSet.objects.update(min_grade=9)
    keep_boards()

    assert (
        "No query has a relevant passage" in client.get("/collections/harbour/leaderboard/").content.decode()
    )
