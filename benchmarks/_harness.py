"""The options, the database and the report that benchmarks share.

Importing this module makes the product importable.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))


def options_parser(description: str | None, *, figures: bool = True) -> argparse.ArgumentParser:
    """Return a parser that shows the description as written. It has ``--check`` and, with ``figures``, ``--json``."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    if figures:
        parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--check", action="store_true", help="exit 1 if a limit is missed")
    return parser


def add_database_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--database", default="", metavar="NAME", help="create or reuse this database, and keep it"
    )
    parser.add_argument(
        "--folder", default="", metavar="FOLDER", help="folder for the files of a kept database"
    )


def print_missed(missed: Sequence[str]) -> None:
    print("\n".join(f"MISSED: {what}" for what in missed) or "All limits are met.")


def report(
    options: argparse.Namespace,
    figures: Any,
    missed: Sequence[str],
    show: Callable[[], None] = lambda: None,
    **more: Any,
) -> int:
    """Print the figures, as JSON or with ``show``, and the missed limits; returns the exit status."""
    if options.json:
        print(json.dumps({"figures": figures, **more, "missed": missed}, indent=1))
    else:
        show()
        print_missed(missed)
    return 1 if options.check and missed else 0


def timings(call: Callable[[], object], times: int) -> list[float]:
    """Make the same call several times, and return the seconds of each call."""
    taken = []
    for _ in range(times):
        before = time.perf_counter()
        call()
        taken.append(time.perf_counter() - before)
    return taken


def choose_services(folder: Path, database: str) -> None:
    """Set the environment for this PostgreSQL database and Redis, before Django reads its settings."""
    from tests import provision

    server = provision.postgres_address(os.environ.get("DATABASE_URL"), name="postgres").rpartition("/")[0]
    os.environ |= {
        "DATABASE_URL": f"{server}/{database}",
        "REDIS_URL": provision.redis_address(os.environ.get("REDIS_URL")),
        "CELERY_BROKER_URL": "memory://localhost/",
        "PREFEREE_DATA_DIR": str(folder),
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }


def choose_sqlite(folder: Path | str) -> None:
    """Set the environment for an SQLite database in this folder, before Django reads its settings."""
    os.environ |= {
        "DATABASE_URL": f"sqlite:///{folder}/preferee.sqlite3",
        "PREFEREE_DATA_DIR": str(folder),
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }


def set_up_product() -> None:
    """Set up Django, and migrate the chosen database."""
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


@contextmanager
def installed_product(*, keep: bool = False) -> Iterator[bool]:
    """Set up the product on the chosen database; yields whether the database is new."""
    with _chosen_database(keep=keep) as new:
        set_up_product()
        from django.db import connections

        try:
            yield new
        finally:
            connections.close_all()


@contextmanager
def _chosen_database(*, keep: bool) -> Iterator[bool]:
    """Create the chosen PostgreSQL database unless it exists; yields whether it is new. Drop it unless it is kept."""
    import psycopg

    server, _, name = os.environ["DATABASE_URL"].replace("postgres://", "postgresql://").rpartition("/")
    if server.startswith("sqlite"):
        yield True
        return
    with psycopg.connect(f"{server}/postgres", autocommit=True) as admin:
        new = not admin.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone()
        if new:
            admin.execute(f'CREATE DATABASE "{name}"')
        try:
            yield new
        finally:
            if not keep:
                admin.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
