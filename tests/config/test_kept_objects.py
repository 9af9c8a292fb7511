"""Objects in the cache belong to the software version that created them."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.core.cache import cache

import config.software
from config import kept_objects

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Figures:
    counted: int


@pytest.fixture
def other_sources(tmp_path, monkeypatch):
    """Return a function that switches to another version of the software."""

    def change():
        (tmp_path / "judging").mkdir()
        (tmp_path / "judging" / "figures.py").write_text("counted = 2\n")
        monkeypatch.setattr(config.software, "software_version", lambda: "9.9.9")
        monkeypatch.setattr(config.software, "ROOT", tmp_path)
        config.software.sources_key.cache_clear()

    yield change
    monkeypatch.undo()
    config.software.sources_key.cache_clear()


def test_a_cached_object_is_read_and_deleted():
    key = kept_objects.object_key("figures", 1, "first")
    kept_objects.keep_object(key, Figures(3), 60)

    assert kept_objects.kept(key) == Figures(3)
    assert kept_objects.object_key("figures", 2, "first") != key
    kept_objects.forget_object(key)
    assert (kept_objects.kept(key), kept_objects.is_kept(key)) == (None, False)


def test_another_version_of_the_software_finds_nothing(other_sources):
    kept_objects.keep_object(kept_objects.object_key("figures", 1), Figures(3), 60)

    other_sources()

    assert kept_objects.kept(kept_objects.object_key("figures", 1)) is None


@pytest.mark.parametrize(
    "damaged", [b"", b"\x80\x05no pickle", b"cconfig.gone\nFigures\n.", {"not": "bytes"}]
)
def test_an_unreadable_object_counts_as_missing(damaged):
    key = kept_objects.object_key("figures", 1)
    cache.set(key, damaged, 60)

    assert kept_objects.kept(key) is None
    kept_objects.keep_object(key, Figures(4), 60)
    assert kept_objects.kept(key) == Figures(4)


def test_every_object_goes_into_the_cache_here():
    """Elsewhere the cache counts (``add``, ``incr``) and remembers that something was done."""
    others = [
        f"{path.relative_to(ROOT)}: {found}"
        for room in kept_objects.ROOMS
        for path in sorted((ROOT / room).rglob("*.py"))
        if path.name != "kept_objects.py"
        for found in re.findall(r"\bcaches?\b[^\n]*\.(?:set|set_many|get_or_set)\(", path.read_text())
    ]

    assert others == []
