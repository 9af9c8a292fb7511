"""Measure how soon a worker can judge on a slow connection, and how long the server takes to save a choice.

A browser opens each task in a new window with an empty cache, in a frame of another site. The connection has 1.6
Mbit/s and a round trip of 150 ms. The product runs as in production: two web processes, compressed and hashed static
files, PostgreSQL and Redis. Everything, including the browser, runs on this machine. It takes about a minute. Limits:

- under 1.5 s from opening the frame to an answerable pair (median of ``--rounds``);
- under 50 ms at the server to save a choice (median over all choices of a task, one after the other);
- under 30 kB for all scripts of the page.

Bytes are counted on the wire, headers included. ``--json`` prints the figures as JSON; ``--check`` exits 1 if a limit
is missed.
"""

import os
import re
import secrets
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from _harness import ROOT, installed_product, options_parser, report

BITS_PER_SECOND = 1_600_000
ROUND_TRIP_MS = 150
MOST_SECONDS = 1.5
MOST_SAVE_SECONDS = 0.05
MOST_SCRIPT_BYTES = 30_000
PROCESSES = 2
ROUNDS = 7
SANDBOX = "allow-scripts allow-forms"
#: Keep all frames in one browser process, so that the slow connection applies to all of them.
ONE_PROCESS = [
    "--disable-site-isolation-trials",
    "--disable-features=IsolateOrigins,site-per-process,IsolateSandboxedIframes",
]
#: The page is ready once its script runs and a pair (or the text before the first pair) is visible.
READY = "!!document.querySelector('.one-at-a-time :is(section.pair, section.first):not([hidden])')"

Figures = dict[str, Any]


@contextmanager
def crowd_site() -> Iterator[tuple[str, dict[str, str]]]:
    """Serve a worker site under another name of this machine; yields its address and its pages."""
    pages: dict[str, str] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content = pages.get(self.path, "").encode()
            self.send_response(200 if content else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://localhost:{server.server_port}", pages
    finally:
        server.shutdown()
        server.server_close()


class Places:
    """The places of a launched campaign, each taken by a new worker."""

    def __init__(self, tasks: int, site: str) -> None:
        from _people import arrival
        from serve import Campaigned

        self.campaigned, self.site, self.number = Campaigned("page", tasks), site, 0
        self.arrival = arrival

    def address(self, product: str) -> str:
        """Return the address that the crowd's frame opens for the worker who takes the next place."""
        self.number += 1
        who = self.arrival(f"PAGE{self.number}", self.campaigned.next_place(), f"APAGE{self.number}")
        return f"{product}{self.campaigned.link}?{urlencode(who | {'turkSubmitTo': self.site})}"


def open_page(address: str) -> tuple[HTTPConnection, str]:
    """Open the address as another browser would; returns its connection, and the path to which it is redirected."""
    place = urlsplit(address)
    line = HTTPConnection(str(place.hostname), place.port, timeout=60)
    line.request("GET", f"{place.path}?{place.query}")
    reply = line.getresponse()
    reply.read()
    return line, reply.headers["Location"]


def consent_to(address: str) -> str:
    """Open the address and consent; returns the same address."""
    line, page = open_page(address)
    line.request("POST", f"{page}consent", "", {"Content-Length": "0"})
    line.getresponse().read()
    line.close()
    return address


def time_opening(browser: Any, address: str, site: str, pages: dict[str, str]) -> Figures:
    """Open a task in a new window on the slow connection; returns seconds, requests and bytes."""
    pages["/"] = (
        '<!doctype html><html lang="en"><title>Tasks</title><link rel="icon" href="data:,">'
        f'<iframe id="task" title="Task" width="1200" height="800" sandbox="{SANDBOX}"></iframe>'
    )
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(site)
    line = Line(context.new_cdp_session(page))
    started = time.perf_counter()
    page.evaluate("address => { document.getElementById('task').src = address }", address)
    seconds = until_ready(page, started)
    page.wait_for_timeout(500)  # for the last network figures
    context.close()
    assert line.requests > 3, "the frame's requests are not measured"
    return {"seconds": seconds, "requests": line.requests, "bytes": line.bytes, "scripts": line.scripts}


def until_ready(page: Any, started: float) -> float:
    """Return the seconds from ``started`` until a pair can be answered."""
    from playwright.sync_api import Error

    while time.perf_counter() < started + 60:
        for frame in page.frames[1:]:
            with suppress(Error):  # the frame is between two pages
                if frame.evaluate(READY):
                    return time.perf_counter() - started
        page.wait_for_timeout(10)
    raise SystemExit("No pair appeared within a minute.")


class Line:
    """A slow connection and its traffic."""

    def __init__(self, session: Any) -> None:
        self.requests = self.bytes = self.scripts = 0
        self._kinds: dict[str, str] = {}
        session.on("Network.requestWillBeSent", self._asked)
        session.on("Network.loadingFinished", self._came)
        session.send("Network.enable")
        rate = BITS_PER_SECOND / 8
        pace = {"latency": ROUND_TRIP_MS, "downloadThroughput": rate, "uploadThroughput": rate}
        session.send("Network.emulateNetworkConditions", {"offline": False, **pace})

    def _asked(self, said: dict[str, Any]) -> None:
        self._kinds[said["requestId"]] = said.get("type", "")
        self.requests += 1

    def _came(self, said: dict[str, Any]) -> None:
        size = round(said["encodedDataLength"])
        self.bytes += size
        self.scripts += size if self._kinds.get(said["requestId"]) == "Script" else 0


def save_seconds(address: str) -> list[float]:
    """Save each choice of a task in turn over one connection; returns the seconds of each."""
    line, page = open_page(address)
    line.request("GET", page)
    slots = re.findall(r'data-slot="(\d+)"', line.getresponse().read().decode())
    found = []
    for number in slots:
        form = urlencode({"slot": number, "sequence": 0, "side": "left", "seconds": "4.20"})
        kind = {"Content-Type": "application/x-www-form-urlencoded", "Origin": "null"}
        started = time.perf_counter()
        line.request("POST", f"{page}save", form, kind)
        answer = line.getresponse()
        said = answer.read()
        found.append(time.perf_counter() - started)
        assert answer.status == 200, said
    line.close()
    return found


def measure(rounds: int) -> Figures:
    """Measure the opening of ``rounds`` tasks in a browser, and the saving of the choices of as many other tasks."""
    import serve

    with tempfile.TemporaryDirectory() as folder:
        serve.prepare(Path(folder), "postgres")
        os.environ["SECRET_KEY"] = secrets.token_urlsafe(50)
        with crowd_site() as (site, pages):
            os.environ["PREFEREE_CROWD_HOSTS"] = site
            with installed_product():
                from config.process import launcher

                with launcher.crowd_running():
                    places = Places(4 * rounds, site)
                    # Now serve as in production: compressed, hashed static files.
                    os.environ |= {"PREFEREE_MODE": "production", "PREFEREE_SSL_REDIRECT": "no"}
                    command = [sys.executable, "manage.py", "collectstatic", "--noinput", "-v", "0"]
                    subprocess.run(command, cwd=ROOT, check=True)
                    with serve.web_processes(PROCESSES) as (product, _):
                        return measure_product(places, product, site, pages, rounds)


def measure_product(places: Places, product: str, site: str, pages: dict[str, str], rounds: int) -> Figures:
    from tests.chromium import ARGUMENTS, chromium

    addresses = [consent_to(places.address(product)) for _ in range(2 * rounds + 2)]
    save_seconds(addresses[0])  # to warm up the server
    seconds = [one for address in addresses[1 : rounds + 1] for one in save_seconds(address)]
    with chromium([*ARGUMENTS, *ONE_PROCESS]) as browser:
        # The first task warms up the browser and is not counted.
        tasks = [time_opening(browser, address, site, pages) for address in addresses[rounds + 1 :]][1:]
    return {
        "seconds": statistics.median(one["seconds"] for one in tasks),
        "slowest": max(one["seconds"] for one in tasks),
        "requests": tasks[0]["requests"],
        "bytes": tasks[0]["bytes"],
        "scripts": tasks[0]["scripts"],
        "save": statistics.median(seconds),
        "save_p95": statistics.quantiles(seconds, n=20)[-1],
        "saves": len(seconds),
        "rounds": rounds,
    }


def missed(figures: Figures) -> list[str]:
    limits = {"seconds": MOST_SECONDS, "save": MOST_SAVE_SECONDS, "scripts": MOST_SCRIPT_BYTES}
    return [
        f"{name}: {figures[name]:.4g} (limit {most:g})"
        for name, most in limits.items()
        if figures[name] >= most
    ]


def show(figures: Figures) -> None:
    print(
        f"a pair can be answered {figures['seconds']:.2f} s after the frame is opened, median of "
        f"{figures['rounds']}, slowest {figures['slowest']:.2f} s (limit {MOST_SECONDS} s)\n"
        f"{figures['requests']} requests, {figures['bytes']:,} bytes, including scripts: {figures['scripts']:,} "
        f"(limit {MOST_SCRIPT_BYTES:,})\n"
        f"a choice is saved in {figures['save'] * 1000:.1f} ms, median of {figures['saves']}, p95 "
        f"{figures['save_p95'] * 1000:.1f} ms (limit {MOST_SAVE_SECONDS * 1000:.0f} ms)"
    )


def main(arguments: Sequence[str]) -> int:
    parser = options_parser(__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"tasks opened (default: {ROUNDS})")
    options = parser.parse_args(arguments)
    figures = measure(options.rounds)
    return report(options, figures, missed(figures), lambda: show(figures))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
