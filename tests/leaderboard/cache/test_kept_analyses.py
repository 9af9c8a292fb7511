"""Storing and deleting results of analyses."""

from datetime import timedelta

import pytest

import config.software
from config import clock
from leaderboard.cache import software_version
from leaderboard.cache.kept_analyses import (
    FIGURE,
    forget_old_results,
    forget_unused,
    result_key,
    store_result,
    stored_result,
)
from leaderboard.models import KeptAnalysis


def kept(key, days, *, kind="stability", made_by=""):
    KeptAnalysis.objects.create(
        key=key,
        kind=kind,
        content={},
        software_version=made_by or software_version.software_key(),
        created_at=clock.now() - timedelta(days=days),
    )


@pytest.fixture
def rows(db):
    kept("new", 1)
    kept("old", 10.5)
    kept("older", 12)
    kept("old figure", 10.5, kind=f"stability{FIGURE}")
    kept("older figure", 12, kind=f"stability{FIGURE}")
    kept("before the update", 2, made_by="0.0.0")
    kept("during the update", 0.5, made_by="0.0.0")


@pytest.mark.parametrize(
    ("days", "stay"),
    [
        (10, {"new", "old figure", "during the update"}),
        (0, {"new", "old", "older", "old figure", "older figure", "during the update"}),
    ],
)
def test_old_analyses_are_deleted_before_their_figures(rows, settings, days, stay):
    settings.KEEP_ANALYSES_DAYS = days

    deleted = forget_old_results()

    left = set(KeptAnalysis.objects.values_list("key", flat=True))
    assert (left, deleted) == (stay, 7 - len(stay))


def test_results_of_other_sources_are_not_found(db, tmp_path, monkeypatch):
    for room in software_version.ROOMS:
        (tmp_path / room).mkdir()
        (tmp_path / room / "values.py").write_text("mean = sum\n")
    monkeypatch.setattr(config.software, "ROOT", tmp_path)
    monkeypatch.setattr(config.software, "software_version", lambda: "1")

    def key() -> str:
        config.software.sources_key.cache_clear()
        return result_key("stability", ["dl21"])

    before = key()
    assert key() == before
    (tmp_path / "leaderboard" / "values.py").write_text("mean = max\n")
    after = key()
    monkeypatch.undo()
    config.software.sources_key.cache_clear()

    assert after != before
    assert software_version.software_key().startswith(f"{software_version.software_version()}+")


def stored(key, hours, room, *, figures=()):
    """Store an analysis and its figures, made long ago and used ``hours`` ago, with ``room`` bytes of content
    each."""
    for name in (key, *figures):
        store_result(name, "stability", {"text": "x" * (room - len('{"text": ""}'))}, group=key)
    used = clock.now() - timedelta(hours=hours)
    KeptAnalysis.objects.filter(group=key).update(created_at=used - timedelta(days=30), used_at=used)


def left():
    return set(KeptAnalysis.objects.values_list("key", flat=True))


@pytest.mark.parametrize(
    ("most", "stay"),
    [
        (0, {"new", "idle", "idle.svg", "idle.pdf", "older"}),
        (500, {"new", "idle", "idle.svg", "idle.pdf", "older"}),
        (499, {"new", "idle", "idle.svg", "idle.pdf"}),
        (400, {"new", "idle", "idle.svg", "idle.pdf"}),
        (399, {"new"}),
        (1, {"new"}),  # made or shown within the hour
    ],
)
def test_what_was_unused_for_longest_makes_room_and_figures_go_with_their_analysis(db, settings, most, stay):
    settings.KEEP_ANALYSES_BYTES = most
    stored("older", 9, 100)
    stored("idle", 5, 100, figures=("idle.svg", "idle.pdf"))
    stored("new", 0.5, 100)

    deleted = forget_unused()

    assert (left(), deleted) == (stay, 5 - len(stay))


def test_what_is_shown_is_used(db, settings):
    settings.KEEP_ANALYSES_BYTES = 100
    stored("shown", 9, 100, figures=("shown.svg",))
    stored("other", 5, 100)

    assert stored_result("shown.svg") is not None
    forget_unused()

    assert left() == {"shown", "shown.svg"}


def test_looking_again_within_the_hour_writes_nothing(db, django_assert_num_queries):
    stored("shown", 9, 100)
    with django_assert_num_queries(2):
        stored_result("shown")

    with django_assert_num_queries(1):
        stored_result("shown")


def test_room_is_measured_in_bytes(db):
    store_result("key", "stability", {"text": "ü"})

    assert KeptAnalysis.objects.get().size == len('{"text": "\\u00fc"}')
