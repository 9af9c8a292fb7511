"""Moves on the board between two versions, and the changes of each query."""

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from leaderboard.board.moves import RankMoves
from tests.factories import make_run
from tournament.models import QrelVersion
from web.versions import version_changes
from web.versions.version_changes import MOVES_SHOWN, board_movement

pytestmark = pytest.mark.one_database


@pytest.fixture
def moving(published, monkeypatch):
    """Return a function that sets the moves of runs: tag → (rank before, rank after)."""
    ranks = {}
    monkeypatch.setattr(
        version_changes,
        "rank_moves",
        lambda runs, **asked: RankMoves(
            1, 3, {run.run_tag: ranks[run.run_tag] for run in runs if run.run_tag in ranks}
        ),
    )
    published.ranks = ranks
    published.version = QrelVersion.objects.get(collection=published.collection)
    return published


@pytest.fixture
def ada(member):
    return get_user_model().objects.get(username="ada")


def told(moving, user):
    found = board_movement(moving.version, moving.version, user)
    return [(one.run.run_tag, one.rose) for one in found.shown], found


def test_the_largest_moves_come_first_and_unmoved_runs_are_counted(moving, ada):
    moving.ranks.update({"quay": (1, 2), "mole": (5, 1), "deep": (3, 3)})

    rows, found = told(moving, ada)

    assert rows == [("mole", 4), ("quay", -1)]
    assert (found.moved, found.queries) == (2, 3)


def test_of_many_moves_only_the_largest_are_listed(moving, ada):
    for number in range(MOVES_SHOWN + 5):
        tag = f"run{number:02}"
        make_run(moving.collection, tag, {"q1": ["a"]})
        moving.ranks[tag] = (number + 2, 1)

    rows, found = told(moving, ada)

    assert len(rows) == MOVES_SHOWN
    assert found.moved == MOVES_SHOWN + 5
    assert rows[0] == (f"run{MOVES_SHOWN + 4:02}", MOVES_SHOWN + 5)


def test_nothing_to_rank_is_no_movement(moving, ada):
    assert board_movement(moving.version, moving.version, ada) is None


def test_the_first_version_has_no_movement(published):
    page = Client().get("/collections/harbour/versions/1/changes/")

    assert page.context["board"] is None
    assert "Changes on the leaderboard" not in page.content.decode()
