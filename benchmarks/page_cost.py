"""Count the database statements and the processor time of each request of the judging page.

One simulated worker after another does whole tasks through the installed middleware. This happens in this process and
without a network, so other programs on the machine hardly affect the results. Statements include those that begin and
end transactions, but not the check of the connection. It prints the median per kind of request, without the first
tasks. Limits for a task of 13 choices, on 2 cores: at most 80 statements and 45 ms of processor time.

``--on`` chooses the database; ``--forms`` sends a task's choices with its form; ``--profile KIND`` prints a profile
of one kind of request; ``--statements`` prints the statements of one request of each kind; ``--check`` exits 1 if a
limit is missed.
"""

import argparse
import cProfile
import html
import io
import pstats
import re
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from _harness import installed_product, options_parser, print_missed

TASKS, WARM_UP = 40, 8
WAITING = 1000
MOST_STATEMENTS, MOST_MILLISECONDS = 80, 45
KINDS = ("take", "consent page", "consent", "task page", "save", "finish", "last page")


class Requests:
    """A client of the application that records SQL statements and processor times by kind of request."""

    def __init__(self, profiled: str = "", *, forms: bool = False) -> None:
        from django.core.handlers.wsgi import WSGIHandler

        self.application = WSGIHandler()
        self.statements: dict[str, list[list[str]]] = defaultdict(list)
        self.milliseconds: dict[str, list[float]] = defaultdict(list)
        self.profiled, self.profile, self.forms = profiled, cProfile.Profile(), forms
        #: Count the statements of the next requests instead of timing them, because counting takes time.
        self.counting = False

    def send(self, kind: str, method: str, address: str, form: dict[str, str] | None = None) -> Any:
        """Send one request through all middleware; returns the response."""
        from django.db import connection
        from django.test import RequestFactory
        from django.test.utils import CaptureQueriesContext

        body = urlencode(form or {})
        kinds = {"content_type": "application/x-www-form-urlencoded"} if form is not None else {}
        environ = RequestFactory(SERVER_NAME="127.0.0.1").generic(method, address, body, **kinds).environ
        counting = self.counting
        counted = CaptureQueriesContext(connection)
        with counted if counting else nullcontext():
            if kind == self.profiled and not counting:
                self.profile.enable()
            started = time.process_time()
            response = self.application(environ, lambda *_: None)
            body_read = b"".join(response)
            spent = time.process_time() - started
            self.profile.disable()
            response.close()
        if counting:
            self.statements[kind].append([query["sql"] for query in counted.captured_queries])
        else:
            self.milliseconds[kind].append(1000 * spent)
        assert response.status_code in (200, 302), (kind, response.status_code, body_read[:2000])
        response.text_read = body_read.decode()
        return response


def do_task(requests: Requests, link: str, who: dict[str, str]) -> None:
    """Do one task as one worker, with every choice saved immediately or all sent with the form."""
    from _people import CONSENT, FINISH, OFF_TOPIC, SAVE, SIDES, SLOTS

    page = requests.send("take", "GET", f"{link}?{urlencode(who)}")["Location"]
    body = requests.send("consent page", "GET", page).text_read
    consent = CONSENT.search(body)
    assert consent
    requests.send("consent", "POST", consent.group(1), {})
    body = requests.send("task page", "GET", page).text_read
    save, finish = SAVE.search(body), FINISH.search(body)
    assert save
    assert finish
    sides = [html.unescape(text) for text in SIDES.findall(body)]
    chosen = {}
    for number, left in zip(SLOTS.findall(body), sides[::2], strict=True):
        side = "right" if OFF_TOPIC in left else "left"
        if requests.forms:
            chosen[f"choice-{number}"] = side
            continue
        form = {"slot": number, "sequence": "0", "side": side, "seconds": "5.00"}
        requests.send("save", "POST", save.group(1), form)
    requests.send("finish", "POST", finish.group(1), {"comment": "", **chosen})
    requests.send("last page", "GET", page)


def measure(options: argparse.Namespace) -> Requests:
    """Have workers do tasks on a separate database, and return the measured requests."""
    import serve

    with tempfile.TemporaryDirectory() as folder:
        serve.prepare(Path(folder), options.on)
        with installed_product():
            from _people import arrival
            from _rows import gather_statistics

            from config.process import launcher

            with launcher.crowd_running():
                campaigned = serve.Campaigned("requests", options.waiting)
                gather_statistics()
                requests = Requests(options.profile, forms=options.forms)
                for number in range(options.tasks):
                    if number == WARM_UP:
                        requests.milliseconds.clear()
                        requests.statements.clear()
                        requests.profile.clear()
                    # Each worker does two tasks, so that half of the tasks are by a worker with a history. The
                    # statements of every other worker are counted, and the requests of the others are timed.
                    requests.counting = number % 4 < 2
                    worker = f"AREQ{number // 2:04}"
                    who = arrival(f"REQ{number:05}", campaigned.next_place(), worker)
                    do_task(requests, campaigned.link, who)
    return requests


def show(requests: Requests, *, statements: bool) -> list[str]:
    """Print a line for each kind of request, and the sum over a task; return the missed limits."""
    total_statements, total = 0.0, 0.0
    kinds = [kind for kind in KINDS if requests.milliseconds[kind]]
    for kind in kinds:
        times, counts = requests.milliseconds[kind], [len(one) for one in requests.statements[kind]]
        number = 13 if kind == "save" else 1
        total += statistics.median(times) * number
        total_statements += statistics.median(counts) * number
        print(
            f"{kind:13} {statistics.median(counts):5.0f} statements (most {max(counts)}), "
            f"{statistics.median(times):6.2f} ms processor time, p90 {statistics.quantiles(times, n=10)[-1]:.2f}"
        )
    print(f"a task of 13 choices: {total_statements:.0f} statements, {total:.1f} ms")
    if statements:
        for kind in kinds:
            print(f"\n{kind}:")
            for sql in requests.statements[kind][-1]:
                print("   ", re.sub(r"\s+", " ", re.sub(r"^(SELECT) .*? FROM", r"\1 ... FROM", sql))[:400])
    sums = ((total_statements, MOST_STATEMENTS, "statements"), (total, MOST_MILLISECONDS, "ms"))
    return [f"{found:.1f} {what} for a task (limit {most})" for found, most, what in sums if found > most]


def main(arguments: Sequence[str]) -> int:
    parser = options_parser(__doc__, figures=False)
    parser.add_argument("--on", choices=["postgres", "sqlite"], default="postgres", help="the database")
    parser.add_argument("--tasks", type=int, default=TASKS, help=f"tasks to do (default: {TASKS})")
    parser.add_argument(
        "--waiting", type=int, default=WAITING, help=f"number of waiting tasks (default: {WAITING:,})"
    )
    parser.add_argument(
        "--forms", action="store_true", help="send all choices with the form, as without scripts"
    )
    parser.add_argument("--profile", choices=KINDS, default="", help="profile this kind of request")
    parser.add_argument("--statements", action="store_true", help="print the statements of each kind")
    options = parser.parse_args(arguments)
    requests = measure(options)
    missed = show(requests, statements=options.statements)
    if options.profile:
        said = io.StringIO()
        pstats.Stats(requests.profile, stream=said).sort_stats("tottime").print_stats(40)
        pstats.Stats(requests.profile, stream=said).sort_stats("cumulative").print_stats(70)
        print(said.getvalue())
    print_missed(missed)
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
