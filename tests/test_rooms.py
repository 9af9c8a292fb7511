"""Boundaries between rooms: import-linter's contracts, and relations that point left."""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings
from django.db.models import ForeignKey, ManyToManyField, OneToOneField

ROOT = Path(__file__).resolve().parents[1]
ORDER = ["accounts", "pooling", "judging", "tournament", "leaderboard", "web"]
NUMERIC = {
    "numpy",
    "rensa",
    "scipy",
    "sklearn",
    "threadpoolctl",
    "networkx",
    "polars",
    "botocore",
    "matplotlib",
}
PURE_MAY_IMPORT = {
    "numpy",
    "scipy",
    "networkx",
    "polars",
    "zstandard",
    "defusedxml",
    "django.conf.locale",  # a table of languages, without settings
    "config.errors",
    "config.guidance",
    "config.plurals",
    "config.spreadsheets",
    "judging.errors",  # names a model only for types
    "leaderboard.output",  # the names of leaderboard.output.table
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


def _pure_modules() -> set[str]:
    """Return the modules that mypy checks strictly; ``*`` matches one name."""
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mypy"]["overrides"][0]["module"]
    found = {
        pattern: {
            ".".join(path.relative_to(ROOT).with_suffix("").parts)
            for path in ROOT.glob(pattern.replace(".", "/") + ".py")
        }
        for pattern in listed
    }
    assert not [pattern for pattern, names in found.items() if not names], "a pattern without a module"
    return set().union(*found.values())


def _imported(path: Path) -> set[str]:
    """Return every module that a file imports, including names imported from a package if they are modules."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            modules = {name for name in whole if (ROOT / name.replace(".", "/")).with_suffix(".py").exists()}
            found |= modules or {node.module}
    return found


def test_only_jobs_modules_start_jobs_by_their_kind():
    """Who imports a jobs module is in pyproject.toml's contract; this closes the way around it."""
    starters = {f"config.background.services.{name}" for name in ("start", "start_for", "hurry")}
    modules = [path for room in ORDER for path in (ROOT / room).rglob("*.py") if path.name != "jobs.py"]

    around = [path for path in modules if starters & _imported_names(path)]

    assert around == [ROOT / "web/common/sole_jobs.py"]


def _imported_names(path: Path) -> set[str]:
    """Return every name that a file imports from a module, after the name of the module."""
    found = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)]
    return {f"{node.module}.{alias.name}" for node in found for alias in node.names}


PURE = _pure_modules()


@pytest.mark.parametrize("name", sorted(PURE - {"config.clock"}))
def test_a_pure_module_imports_only_pure_ones(name):
    path = ROOT / (name.replace(".", "/") + ".py")

    strange = {
        module
        for module in _imported(path)
        if module not in PURE | PURE_MAY_IMPORT
        and module.split(".")[0] not in {*sys.stdlib_module_names, *NUMERIC}
    }

    assert strange == set()


def test_every_room_is_installed():
    assert [app for app in settings.INSTALLED_APPS if app in ORDER] == ORDER


def test_starting_does_not_import_libraries_that_only_analyses_need():
    """scipy.stats, scikit-learn and matplotlib take a second each, so commands and servers start without them."""
    words = "import django, sys; django.setup(); import config.urls; print(*sys.modules)"

    loaded = subprocess.run(
        [sys.executable, "-c", words], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert not {"scipy.stats", "sklearn", "matplotlib"}.intersection(loaded.stdout.split())
