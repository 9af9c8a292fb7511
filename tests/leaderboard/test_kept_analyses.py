"""How long results of analyses are kept."""

from __future__ import annotations

from datetime import timedelta

import pytest

from config import clock
from leaderboard.models import KeptAnalysis
from leaderboard.services.kept_analyses import FIGURE, forget_old
from leaderboard.services.software import software_version


def kept(key, days, *, kind="stability", software=""):
    KeptAnalysis.objects.create(
        key=key,
        kind=kind,
        content={},
        software_version=software or software_version(),
        created_at=clock.now() - timedelta(days=days),
    )


@pytest.fixture
def rows(db):
    kept("new", 1)
    kept("old", 10.5)
    kept("older", 12)
    kept("old figure", 10.5, kind=f"stability{FIGURE}")
    kept("older figure", 12, kind=f"stability{FIGURE}")
    kept("before the update", 2, software="0.0.0")
    kept("during the update", 0.5, software="0.0.0")


@pytest.mark.parametrize(
    ("days", "stay"),
    [
        (10, {"new", "old figure", "during the update"}),
        (0, {"new", "old", "older", "old figure", "older figure", "during the update"}),
    ],
)
def test_old_analyses_are_deleted_before_their_figures(rows, settings, days, stay):
    settings.KEEP_ANALYSES_DAYS = days

    deleted = forget_old()

    left = set(KeptAnalysis.objects.values_list("key", flat=True))
    assert (left, deleted) == (stay, 7 - len(stay))
