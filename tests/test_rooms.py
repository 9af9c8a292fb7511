"""The rooms keep to themselves: import-linter's contracts, and relations that point left."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings
from django.db.models import ForeignKey, ManyToManyField, OneToOneField

ROOT = Path(__file__).resolve().parents[1]
ORDER = ["accounts", "pooling", "judging", "tournament", "leaderboard", "web"]
DJANGO_NAMED = {
    "models",
    "services",
    "views",
    "jobs",
    "forms",
    "admin",
    "urls",
    "apps",
    "management",
    "migrations",
}
# Rooms' files that do I/O without being named after a Django part (docs/architecture.md says why).
ADAPTERS = {"judging.crowds", "judging.simulation"}
PURE_MAY_IMPORT = {
    "numpy",
    "scipy",
    "networkx",
    "polars",
    "zstandard",
    "defusedxml",
    "django.conf.locale",  # a table of languages, without settings
    "config.errors",
    "config.plurals",
    "config.spreadsheets",
}


def test_imports_keep_to_the_contracts():
    done = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-logo", "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout[-3000:]


def test_relations_across_rooms_point_left_and_leave_no_trace():
    offenders = []
    for model in apps.get_models():
        room = model._meta.app_label
        for field in model._meta.get_fields():
            if not isinstance(field, ForeignKey | OneToOneField | ManyToManyField) or room not in ORDER:
                continue
            other = field.related_model._meta.app_label
            if other == room or other not in ORDER:
                continue
            if ORDER.index(other) > ORDER.index(room) or field.remote_field.related_name != "+":
                offenders.append(f"{model.__name__}.{field.name} → {other}")

    assert offenders == []


def _field_named_modules():
    for room in [*ORDER, "marketplace"]:
        for path in sorted((ROOT / room).glob("*.py")):
            name = f"{room}.{path.stem}"
            if path.stem not in DJANGO_NAMED | {"__init__"} and name not in ADAPTERS:
                yield name, path


def _strict_modules() -> set[str]:
    import tomllib

    return set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mypy"]["overrides"][0]["module"])


@pytest.mark.parametrize("name", sorted(_strict_modules() - {"config.clock", "config.errors"}))
def test_strictly_typed_modules_are_pure(name):
    path = ROOT / (name.replace(".", "/") + ".py")
    allowed_rooms = (
        set(ORDER[: ORDER.index(name.split(".")[0]) + 1]) if name.split(".")[0] in ORDER else set()
    )

    imported = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add(node.module or "")

    strange = {
        module
        for module in imported
        if module.split(".")[0] not in sys.stdlib_module_names
        and module not in PURE_MAY_IMPORT
        and module.split(".")[0] not in {"numpy", "scipy", "networkx", "polars", "botocore"}
        and not (module.split(".")[0] in allowed_rooms and module.split(".")[-1] not in DJANGO_NAMED)
        and not module.startswith("marketplace.")
    }
    assert strange == set()


def test_every_room_is_installed():
    assert [app for app in settings.INSTALLED_APPS if app in ORDER] == ORDER


def test_a_start_does_not_wait_for_what_only_analyses_need():
    """scipy.stats and matplotlib take a second each: commands and web processes start without them."""
    words = "import django, sys; django.setup(); import config.urls; print(*sys.modules)"

    loaded = subprocess.run(
        [sys.executable, "-c", words], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert not {"scipy.stats", "matplotlib"}.intersection(loaded.stdout.split())
