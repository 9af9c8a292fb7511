"""A crowd's worker site: a page of another site than the product's, with the task in a sandboxed frame."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

import pytest

#: What crowds give the frame of a task: an origin of its own (``Origin: null``, no storage), or its site's.
OPAQUE = "allow-scripts allow-forms"
SAME_ORIGIN = "allow-scripts allow-forms allow-same-origin"
#: Both kinds of frames. What works without an origin works with one: that is tried in `make soak`.
SANDBOXES = pytest.mark.parametrize(
    "sandbox",
    [pytest.param(OPAQUE, id="opaque"), pytest.param(SAME_ORIGIN, id="same-origin", marks=pytest.mark.soak)],
)

_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Tasks</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<style>body { margin: 0 } iframe { display: block; width: 100%; height: 100vh; border: 0 }</style>
<iframe id="task-frame" name="task-frame" title="Task" sandbox="SANDBOX" src="ADDRESS"></iframe>"""


class CrowdSite:
    """Serves pages at ``localhost``, which is another site than ``127.0.0.1``; takes forms as MTurk does."""

    def __init__(self, port: int) -> None:
        self.address = f"http://localhost:{port}"
        self.pages: dict[str, str] = {}
        self.received: list[dict[str, str]] = []
        self.broken = False
        self.when_received: Callable[[dict[str, str]], None] = lambda form: None

    def reset(self) -> None:
        """As new, for the next test."""
        self.pages, self.received, self.broken = {}, [], False
        self.when_received = lambda form: None

    def framing(self, address: str, sandbox: str = OPAQUE) -> str:
        """The address of a page whose frame shows ``address``."""
        path = f"/task/{len(self.pages) + 1}"
        self.pages[path] = _PAGE.replace("SANDBOX", sandbox).replace("ADDRESS", escape(address))
        return self.address + path

    def take(self, form: dict[str, str]) -> tuple[int, str]:
        """Answer a form that was handed in."""
        if self.broken:
            return 503, "<!doctype html><title>Sorry</title><h1>Not now</h1>"
        self.received.append(form)
        self.when_received(form)
        return 200, '<!doctype html><title>Thank you</title><h1 id="handed-in">Handed in</h1>'


def _handler(site: CrowdSite) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            page = site.pages.get(urlsplit(self.path).path)
            self._answer(*((200, page) if page else (404, "<!doctype html><title>Nothing here</title>")))

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            if urlsplit(self.path).path != "/mturk/externalSubmit":
                self._answer(404, "")
                return
            self._answer(*site.take(dict(parse_qsl(body, keep_blank_values=True))))

        def _answer(self, status: int, page: str) -> None:
            content = page.encode()
            self.send_response(status)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    return Handler


@contextmanager
def serving() -> Iterator[CrowdSite]:
    """The site, up for the length of the block."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    server.daemon_threads = True
    site = CrowdSite(server.server_address[1])
    server.RequestHandlerClass = _handler(site)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
