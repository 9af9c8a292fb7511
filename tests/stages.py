"""Assigns tests to the stages of `make test` and `make soak`; no other module does.

`make test` is for every change: all tests except the soak tests on PostgreSQL, and on SQLite the tests whose results
may differ. `make soak` is for long tests: those marked ``soak`` (simulated faults, journeys through the whole product
that repeat what smaller tests check), and everything again on SQLite.
"""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

#: Modules whose tests may come out differently on SQLite: conditional updates and constraints that settle races, bulk
#: statements, sums of money, order of rows, and processes that share a file. To them come all tests that commit.
DIFFERING = {
    "tests/config/test_background.py",
    "tests/config/test_events.py",
    "tests/judging/money/test_budget.py",
    "tests/judging/exchange/test_calls.py",
    "tests/judging/launch/test_closure.py",
    "tests/tournament/test_judgment_export.py",
    "tests/judging/campaign/test_imported_judgments.py",
    "tests/judging/tasks/test_leases.py",
    "tests/judging/money/test_ledger.py",
    "tests/judging/money/test_payments.py",
    "tests/judging/test_races.py",
    "tests/judging/money/test_refused_payments.py",
    "tests/judging/money/test_top_ups.py",
    "tests/leaderboard/cache/test_kept_values.py",
    "tests/marketplace/rules/test_money.py",
    "tests/marketplace/operator/test_payouts.py",
    "tests/marketplace/test_races.py",
    "tests/marketplace/test_scheduler.py",
    "tests/marketplace/worker/test_tasks.py",
    "tests/pooling/test_services.py",
    "tests/pooling/files/test_texts.py",
    "tests/tournament/test_challenge_progress.py",
    "tests/tournament/test_publication.py",
    "tests/web/versions/test_query_counts.py",
    "tests/web/releases/test_bundle.py",
}


def examples(few: int, many: int) -> int:
    """Return the number of examples for a test marked ``generated``: a few for every change, otherwise many."""
    return few if os.environ.get("PREFEREE_TEST_ONLY") == "change" else many


def _for_every_change(item: pytest.Item) -> bool:
    return not _is_soak(item)


def _is_soak(item: pytest.Item) -> bool:
    return item.get_closest_marker("soak") is not None


def _takes_long(item: pytest.Item) -> bool:
    return _is_soak(item) or item.get_closest_marker("generated") is not None


def _depends_on_the_database(item: pytest.Item) -> bool:
    """Return whether a test's result can depend on the database: journeys do, other browser tests do not.

    ``one_database`` marks modules about the contents and visibility of pages and calls, and processes that use
    a separate SQLite file in every stage. Services, jobs, races, commands and figures are never marked.
    """
    if item.get_closest_marker("one_database"):
        return False
    if item.get_closest_marker("journey"):
        return True
    fixtures = {"db", "transactional_db", "live_server"}.intersection(getattr(item, "fixturenames", ()))
    return not item.get_closest_marker("browser") and bool(item.get_closest_marker("django_db") or fixtures)


def _may_differ(item: pytest.Item) -> bool:
    """Return whether the test commits or its module is in :data:`DIFFERING`; journeys do so in `make soak`."""
    if _is_soak(item) or item.get_closest_marker("journey") or not _depends_on_the_database(item):
        return False
    mark = item.get_closest_marker("django_db")
    commits = bool(mark and mark.kwargs.get("transaction"))
    commits = commits or "transactional_db" in getattr(item, "fixturenames", ())
    return commits or item.nodeid.partition("::")[0] in DIFFERING


#: The values of PREFEREE_TEST_ONLY.
SELECTIONS: dict[str, Callable[[pytest.Item], bool]] = {
    "change": _for_every_change,
    "soak": _takes_long,
    "database": _depends_on_the_database,
    "differing": _may_differ,
}


def select(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect tests outside PREFEREE_TEST_ONLY; without it, everything runs."""
    belongs = SELECTIONS.get(os.environ.get("PREFEREE_TEST_ONLY", ""))
    if belongs is None:
        return
    kept = [item for item in items if belongs(item)]
    config.hook.pytest_deselected(items=[item for item in items if not belongs(item)])
    items[:] = kept


def is_out_of_time(now: float) -> bool:
    """Return whether it is too late to start a test of `make soak`; ``now`` is in seconds since 1970.

    PREFEREE_SOAK_UNTIL is the latest start, or empty for no limit. Continuous integration has a time limit, and some
    machines take four times as long as others. The everyday tests always run.
    """
    until = os.environ.get("PREFEREE_SOAK_UNTIL")
    is_soak = os.environ.get("PREFEREE_TEST_ONLY") in ("soak", "database")
    return bool(until) and is_soak and now > float(until or 0)


@dataclass(frozen=True)
class Stage:
    """One run of pytest: the program, the database, the selection of tests, and the number of processes."""

    name: str
    database: str
    only: str
    share: float
    """Of the machine's processors."""
    paths: tuple[str, ...] = ()
    migrated: bool = True
    """Whether the tables are made by the migrations; else from the models, which takes a tenth of the time."""

    def command(self, processors: int) -> list[str]:
        """Return the command line, without the arguments of `make test`."""
        at_once = max(1, round(self.share * processors))
        options = ["-q", "-n", str(at_once), "--dist", "loadgroup", "--durations=10"]
        options += [] if self.migrated else ["--no-migrations"]
        return [sys.executable, "-m", "pytest", *options, *self.paths]


MARKETPLACE = ("tests/marketplace", "--ds=config.marketplace_settings")
#: Lanes run in parallel, the stages of a lane one after another: tests that wait leave a processor to others.
LANES: dict[str, list[list[Stage]]] = {
    # Lint checks that the migrations match the models; `make soak` and installations run them.
    "test": [
        [Stage("product on PostgreSQL and Redis", "postgres", "change", 1, migrated=False)],
        [
            Stage("marketplace on PostgreSQL", "postgres", "change", 0.5, MARKETPLACE, migrated=False),
            Stage("marketplace on SQLite, where it may differ", "sqlite", "differing", 0.5, MARKETPLACE),
            Stage("product on SQLite, where it may differ", "sqlite", "differing", 0.5, migrated=False),
        ],
    ],
    "soak": [
        [Stage("long tests on PostgreSQL and Redis", "postgres", "soak", 1)],
        [
            Stage("long tests of the marketplace", "postgres", "soak", 1, MARKETPLACE),
            Stage("marketplace on SQLite", "sqlite", "database", 1, MARKETPLACE),
            Stage("product on SQLite, embedded parts", "sqlite", "database", 1),
        ],
    ],
}
