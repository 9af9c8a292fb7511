"""A crowd's worker site: a page on another site than the product's, with the task in a sandboxed frame."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

import pytest

#: Origins that crowds give a task's frame: an opaque one (``Origin: null``, no storage), or the site's own.
OPAQUE = "allow-scripts allow-forms"
SAME_ORIGIN = "allow-scripts allow-forms allow-same-origin"
#: Both kinds of frames. Whatever works without an origin works with one, which `make soak` checks.
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
    """A server of pages at ``localhost``, another site than ``127.0.0.1``. It accepts forms as MTurk does."""

    def __init__(self, port: int) -> None:
        self.address = f"http://localhost:{port}"
        self.pages: dict[str, str] = {}
        self.received: list[dict[str, str]] = []
        self.broken = False
        self.when_received: Callable[[dict[str, str]], None] = lambda form: None

    def reset(self) -> None:
        """Reset the site for the next test."""
        self.pages, self.received, self.broken = {}, [], False
        self.when_received = lambda form: None

    def framing(self, address: str, sandbox: str = OPAQUE) -> str:
        """Return the address of a page whose frame shows ``address``."""
        path = f"/task/{len(self.pages) + 1}"
        self.pages[path] = _PAGE.replace("SANDBOX", sandbox).replace("ADDRESS", escape(address))
        return self.address + path

    def take(self, form: dict[str, str]) -> tuple[int, str]:
        """Answer a submitted form."""
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
    """Run the site during the block."""
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
