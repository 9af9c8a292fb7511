"""Measure the tables of a track with 1,000 runs and 6,980 queries: each must be computed within five seconds.

The collection is the one of benchmarks/pages.py, on PostgreSQL. Each table is computed once to store the runs'
values, as the board's background job does, and then measured ``--rounds`` times without its stored result. ``--runs``
sets the number of runs; ``--database NAME --folder FOLDER`` keeps the collection for reuse; ``--check`` exits 1 if a
limit is missed.
"""

import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pages
from _harness import add_database_options, options_parser, timings

MOST_SECONDS = 5.0
RUNS = 1000
#: Kind of analysis → settings that differ from the defaults.
TABLES: dict[str, dict[str, str]] = {
    "track_statistics": {},
    "track_results": {"measures": "RR@10 nDCG@10"},
    "run_types": {},
    "query_spread": {},
    "two_boards": {"qrels": "official", "against": "official", "against_measure": "nDCG@10"},
    "label_disagreement": {"qrels": "official", "against": "@1"},
    "power": {},
    "pool_sizes": {},
    "harmless_order": {},
}


def seconds_of(kind: str, settings: dict[str, str], rounds: int) -> float:
    """Return the median time to compute a table from stored values."""
    from leaderboard.analyses.fields import read_settings
    from leaderboard.analyses.kinds import Asked
    from leaderboard.analyses.registry import KINDS
    from pooling.models import Collection

    collection = Collection.objects.get(name="large")
    runs = tuple(collection.runs.order_by("run_tag"))
    chosen = KINDS[kind]
    asked = Asked(chosen, collection, runs, read_settings(chosen.fields, settings))
    chosen.make(asked, None)
    return statistics.median(timings(lambda: chosen.make(asked, None), rounds))


def main(arguments: Sequence[str]) -> int:
    parser = options_parser(__doc__, figures=False)
    parser.add_argument("--runs", type=int, default=RUNS, help=f"runs of the collection (default: {RUNS})")
    parser.add_argument("--rounds", type=int, default=3, help="number of computations per table (default: 3)")
    add_database_options(parser)
    options = parser.parse_args(arguments)
    with (
        tempfile.TemporaryDirectory() as passing,
        pages.installed_on(options.database, Path(options.folder or passing)) as new,
    ):
        if new:
            pages.build(options.runs)
        found = {}
        for kind, settings in TABLES.items():
            found[kind] = seconds_of(kind, settings, options.rounds)
            print(f"{found[kind]:8.2f} s  {kind}", flush=True)
    missed = [kind for kind, seconds in found.items() if seconds >= MOST_SECONDS]
    print(f"MISSED: {', '.join(missed)}" if missed else f"Every table takes less than {MOST_SECONDS:g} s.")
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
