"""Measure the time and database queries of every page: 200 runs (``--runs``), 6,980 queries, 150,000 judgments.

An owner of the collection requests every readable URL of web/urls.py through Django's whole stack in this process,
on PostgreSQL and Redis: once cold, then ``--rounds`` times. Writing the rows takes about a minute, and so do the
requests. Limits:

- p50 under 300 ms;
- at most 60 database queries;
- for a streamed download of a whole version: the first bytes within 300 ms (p50), because users see the file grow;
  and at least 2,000 lines per second, so that 10,000 lines take five seconds. The query limit is the same as for a
  page, whatever the length.

A URL with any status other than 200 misses its limits. A URL that is missing from the tables below is an error.
``--only WORD`` measures pages whose name contains the word; ``--database NAME`` writes the rows once, to a database
that is kept and reused; ``--json`` prints the figures as JSON; ``--check`` exits 1 if a limit is missed.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from _harness import add_database_options, choose_services, installed_product, options_parser, report

MOST_SECONDS = 0.3
MOST_QUERIES = 60
LEAST_LINES = 2000
ROUNDS = 9
RUNS = 200
PERSON = "bench"

#: The value of each URL parameter. A key "page parameter" applies to some pages only, where "page" is the whole
#: URL name or its first or last word.
PARAMETERS: dict[str, Any] = {
    "name": "large",
    "prepare name": "next",
    "delete_draft name": "next",
    "rename_draft name": "next",
    "preview_texts name": "next",
    "pool": "large",
    "labels": "official",
    "number": 1,
    "form": "csv",
    "judgments_file form": "tsv",
    "kind": "stability",
    "run key": 1,
    "key": 1,
    "query key": 1,
    "worker key": 1,
    "appeal key": 1,
    "decision": "exclude",
    "graded": "graded",
    "document name": "methods-leaderboard",
    "document_labels name": "large",
    "document_picture name": "query.webp",
    "step": "close",
    "what": "away",
    "message": 1,
    "member": 1,
    "invited": 1,
}
#: The query strings with which a page is also requested.
ASKED = {
    "leaderboard": [
        "sort=-official&page=2",
        "version=none",
        "measure=nDCG@10",
        "neural=nnlm&team=team+3&from=2000-01-01&column=neural&column=team",
    ],
    "runs": ["q=run-01"],
    "run": ["show=lost&sort=-rank", "show=unjudged"],
    "queries": ["sort=hardest", "show=unanswered"],
    "query_map": ["measure=nDCG@10&order=differing&page=20&runs=3"],
    "versus": ["query=1", "measure=AP&labels=official"],
    "version": ["show=beaten", "q=harbour", "page=100"],
    "campaign_workers": ["sort=-agreement&page=3", "q=42", "show=flagged"],
    "campaign_worker": ["judgments=5"],
    "campaign_reports": ["show=all&page=2"],
    "top_up": ["minimum=15"],
    "release_run": ["release=public"],
    "release_runs": ["release=public&run=1&run=2&run=3"],
}
#: Pages that are only requested with a query string.
ALWAYS_ASKED = {"release_run", "release_runs"}
#: URLs that need something temporary. URLs that do not accept GET are detected by a request.
NOT_READ = {
    "invitation",
    "analysis_file",  # a finished analysis
    "comparison_file",  # the chosen runs
    "making",  # a collection that is being created
    "making_progress",
    "upload",  # a file that is being checked
    "added",  # labels or passages that are being added
    "adding",
    "checking",
    "pool_work",  # a pool that is being built
    "asking_work",  # a campaign that is being created
    "document_label_sources",  # a qrel set of documents
    "candidates_file",  # candidates for reranking
    "near_duplicate_labels",  # classes of near-duplicates
    # These only redirect to a page that is measured.
    "challenge_with",
    "prepare",
    "comparison",
    "timeline",
    "timeline_file",
    "signed_in",
    "collection_query",
}

Figures = dict[str, Any]


def installed_on(keep: str, folder: Path) -> AbstractContextManager[bool]:
    """Set up the product on a separate database; yields whether it is new. A named database is kept."""
    choose_services(folder, keep or f"preferee_pages_{os.getpid()}")
    return installed_product(keep=bool(keep))


def build(runs: int) -> None:
    """Write the rows of a collection with ``runs`` runs, publish a version, and create an owner."""
    from _large import Large, write_drafts_and_extras
    from django.contrib.auth import get_user_model

    from pooling.models import Membership
    from pooling.teams.teams import make_team
    from tournament.services import publish_qrels

    large = Large(runs=runs)
    large.build()
    # Judgments of challengers are pending; otherwise every query would be settled.
    published = publish_qrels(campaign=large.campaign, allow_open=True)
    user = get_user_model().objects.create_user(PERSON)
    Membership.objects.create(collection=large.collection, user=user, role="owner")
    make_team(collection=large.collection, name="Otters", who=PERSON)
    write_drafts_and_extras(large, published.version, user)


def draw_boards() -> None:
    """Draw the leaderboards, as the background job does when a version is published or a run is uploaded."""
    from web.boards import jobs

    started = time.perf_counter()
    # No worker runs here, so pages draw the boards of other measures themselves.
    jobs.MANY_VALUES = sys.maxsize
    if jobs.keep_boards(lambda *_: None):
        print(f"Leaderboards drawn in {time.perf_counter() - started:.1f} s.", file=sys.stderr)


def addresses(only: str) -> Iterator[tuple[str, str]]:
    """Yield (page name, address) of every readable URL; raises SystemExit for a URL that no table covers."""
    from django.urls import reverse

    from web.urls import urlpatterns

    for one in urlpatterns:
        name = str(one.name)
        if name in NOT_READ or only not in name:
            continue
        parameters = {}
        for word in one.pattern.converters:
            pages = (name, name.rpartition("_")[2], name.partition("_")[0])
            known = [*(f"{page} {word}" for page in pages), word]
            found = next((PARAMETERS[key] for key in known if key in PARAMETERS), None)
            if found is None:
                raise SystemExit(f"web:{name} has the unknown parameter {word}. Add it to PARAMETERS.")
            parameters[word] = found
        address = reverse(f"web:{name}", kwargs=parameters)
        if name not in ALWAYS_ASKED:
            yield name, address
        for asked in ASKED.get(name, []):
            yield name, f"{address}?{asked}"


def measure(client: Any, address: str, rounds: int) -> Figures | None:
    """Return the times, database queries and lines per second of a page; None for a URL that does not accept GET.

    Times are those of the first and of the other responses, in seconds (if streamed, to the first bytes). Queries are
    those of the last response. Lines per second are only for streamed responses of at least 2,000 lines.
    """
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    first = fetch(client, address)
    if first["status"] != 200:
        return None if first["status"] == 405 else {"status": first["status"]}
    asked = [fetch(client, address) for _ in range(rounds)]
    seconds = sorted(one["seconds"] for one in asked)
    with CaptureQueriesContext(connection) as caught:
        fetch(client, address)
    return {
        "status": 200,
        "first": first["seconds"],
        "p50": statistics.median(seconds),
        "p95": seconds[min(rounds - 1, rounds * 95 // 100)],
        "queries": len(caught),
        "lines_a_second": statistics.median(one["lines"] / one["whole"] for one in asked)
        if first["lines"] >= LEAST_LINES
        else None,
    }


def fetch(client: Any, address: str) -> Figures:
    """Return a response's status, the seconds until its first and last bytes, and its number of lines if streamed."""
    started = time.perf_counter()
    reply = client.get(address)
    pieces = iter(reply.streaming_content if reply.streaming else [reply.content])
    lines = next(pieces, b"").count(b"\n")
    seconds = time.perf_counter() - started
    lines += sum(piece.count(b"\n") for piece in pieces)
    whole = time.perf_counter() - started
    return {
        "status": reply.status_code,
        "seconds": seconds,
        "whole": whole,
        "lines": lines if reply.streaming and reply.get("Content-Type") != "application/zip" else 0,
    }


def run(options: argparse.Namespace) -> dict[str, Figures]:
    """Return every page's figures, by address."""
    with tempfile.TemporaryDirectory() as passing:
        folder = Path(options.folder or passing)
        with installed_on(options.database, folder) as new:
            from django.contrib.auth import get_user_model
            from django.test import Client

            from config.process.server import collect_garbage_less_often

            if new:
                started = time.perf_counter()
                build(options.runs)
                print(f"Rows and files written in {time.perf_counter() - started:.0f} s.", file=sys.stderr)
            draw_boards()
            client = Client()
            client.force_login(get_user_model().objects.get(username=PERSON))
            found = {}
            wanted = list(addresses(options.only))
            collect_garbage_less_often()  # As the server does at startup.
            for name, address in wanted:
                figures = measure(client, address, options.rounds)
                if figures is None:
                    continue
                found[address] = {"page": name, **figures}
                if not options.json:
                    print(figures_line(address, found[address]), flush=True)
    return found


def figures_line(address: str, figures: Figures) -> str:
    """Return one page's figures as text."""
    if figures["status"] != 200:
        return f"answers {figures['status']}  {address}"
    times = "".join(f"{figures[name] * 1000:8.0f}" for name in ("first", "p50", "p95"))
    lines = f", {figures['lines_a_second']:,.0f} lines a second" if figures["lines_a_second"] else ""
    return f"{times} ms {figures['queries']:4} queries  {address}{lines}"


def missed_by(figures: Figures) -> list[str]:
    """Return the limits that a page misses, as text."""
    if figures["status"] != 200:
        return [f"answers {figures['status']}; should it be in NOT_READ?"]
    lines = figures["lines_a_second"]
    limits = {
        f"p50 {figures['p50'] * 1000:.0f} ms": figures["p50"] < MOST_SECONDS,
        f"{figures['queries']} queries": figures["queries"] <= MOST_QUERIES,
        f"{lines or 0:,.0f} lines a second": lines is None or lines >= LEAST_LINES,
    }
    return [what for what, held in limits.items() if not held]


def main(arguments: Sequence[str]) -> int:
    parser = options_parser(__doc__)
    parser.add_argument(
        "--rounds", type=int, default=ROUNDS, help=f"number of requests per page (default: {ROUNDS})"
    )
    parser.add_argument("--runs", type=int, default=RUNS, help=f"runs of the collection (default: {RUNS})")
    parser.add_argument("--only", default="", metavar="WORD", help="only pages whose name contains this word")
    add_database_options(parser)
    options = parser.parse_args(arguments)
    if options.database and not options.folder:
        parser.error("--database requires --folder, which is also kept")
    if not options.json:
        print("   first     p50     p95")
    found = run(options)
    missed = [f"{address}: {what}" for address, figures in found.items() for what in missed_by(figures)]
    return report(options, found, missed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
