"""A proxy between the browser and the product that records all traffic."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Exchange:
    """One request of the browser, and the response as sent."""

    method: str
    path: str
    sent: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: str

    @property
    def all(self) -> str:
        """Return every word that the browser sent or received, except its own headers."""
        return "\n".join([self.path, self.sent, str(self.headers), self.body])


def _handler(upstream: str, exchanges: list[Exchange]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _pass_on(self) -> None:
            sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            place = urlsplit(upstream)
            line = HTTPConnection(str(place.hostname), place.port, timeout=30)
            passed = {name: words for name, words in self.headers.items() if name != "Accept-Encoding"}
            line.request(self.command, self.path, sent, passed)
            reply = line.getresponse()
            body, headers = reply.read(), reply.getheaders()
            line.close()
            known = tuple((name.lower(), words) for name, words in headers)
            exchanges.append(
                Exchange(self.command, self.path, sent.decode(), reply.status, known, body.decode())
            )
            self.send_response_only(reply.status)
            for name, words in headers:
                if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                    self.send_header(name, words)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = _pass_on

        def log_message(self, *_: object) -> None:
            pass

    return Handler


@contextmanager
def recorded(upstream: str) -> Iterator[tuple[str, list[Exchange]]]:
    """Return the proxy's own address, and its traffic so far."""
    exchanges: list[Exchange] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(upstream, exchanges))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", exchanges
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
