"""A proxy between the product and a crowd that simulates network and service faults.

It forwards requests of MTurk's protocol and, by seeded chance, answers 5xx before the effect, drops the reply
after it, throttles, returns stale listings (an older answer to the same request), or repeats rows of a listing.
Nothing here depends on the product.
"""

import json
import random
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

TARGET = "X-Amz-Target"
EFFECTS = ("Create", "Update", "Approve", "Reject", "Send", "Associate", "Disassociate", "Notify")
#: The faults that can happen to a request, with the chances in :class:`Faults`.
CHANCES = ("lost_reply", "failed_before", "throttled", "stale_listing", "repeated_rows", "slow")
#: The listings of a place that nobody has taken yet.
ROWS_OF_A_PLACE = {"ListAssignmentsForHIT": "Assignments", "ListBonusPayments": "BonusPayments"}
PASSED_ON = ("Host", "Authorization", "X-Amz-Date", TARGET, "Content-Type", "User-Agent")


@dataclass
class Faults:
    """Chances from 0 to 1, each drawn for every request to which it applies."""

    lost_reply: float = 0.0  # the effect happened, but the reply is lost
    failed_before: float = 0.0  # 503, no effect
    throttled: float = 0.0
    stale_listing: float = 0.0  # a listing as it was at an earlier request, or at the very beginning
    repeated_rows: float = 0.0  # a listing with repeated rows
    slow: float = 0.0
    slow_seconds: float = 0.2
    effects: tuple[str, ...] = EFFECTS  # prefixes of the operations whose replies can be lost


@dataclass
class Seen:
    """Counts: requests by operation, faults by name, effects whose replies were lost."""

    requests: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    times: list[float] = field(default_factory=list)


class FaultProxy:
    """Serves on a free port of 127.0.0.1 until closed."""

    def __init__(self, upstream: str, *, faults: Faults, seed: int) -> None:
        self.upstream = urlsplit(upstream)
        self.faults = faults
        self.seen = Seen()
        self._random = random.Random(seed)
        self._lock = threading.Lock()
        self._listings: dict[bytes, tuple[int, bytes]] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, name="fault proxy", daemon=True).start()

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()

    def happens(self, fault: str) -> bool:
        """Draw whether a fault happens, and count it if so."""
        with self._lock:
            hit = self._random.random() < getattr(self.faults, fault)
            self.seen.faults[fault] += hit
            return hit

    def note(self, operation: str) -> None:
        """Count a request that reached the crowd."""
        with self._lock:
            self.seen.requests[operation] += 1
            self.seen.times.append(time.monotonic())

    def forward(self, method: str, path: str, headers: dict[str, str], body: bytes) -> tuple[int, bytes]:
        """Return the crowd's own answer. The signed host is the proxy's, so the same host is forwarded."""
        connection = HTTPConnection(self.upstream.hostname or "", self.upstream.port, timeout=30)
        try:
            connection.request(method, path, body=body, headers=headers)
            reply = connection.getresponse()
            return reply.status, reply.read()
        finally:
            connection.close()

    def listing(self, operation: str, body: bytes, fresh: tuple[int, bytes]) -> tuple[int, bytes]:
        """Return a listing: current, stale, or with repeated rows."""
        key = operation.encode() + body
        with self._lock:
            before = self._listings.get(key)
            if fresh[0] == 200:
                self._listings[key] = fresh
        if operation in ROWS_OF_A_PLACE and not before:
            before = 200, json.dumps({"NumResults": 0, ROWS_OF_A_PLACE[operation]: []}).encode()
        if before and self.happens("stale_listing"):
            return before
        return (fresh[0], _rows_twice(fresh[1])) if self.happens("repeated_rows") else fresh


def _rows_twice(body: bytes) -> bytes:
    """Return the listing with its first row repeated at the end."""
    try:
        said: dict[str, Any] = json.loads(body)
    except ValueError:
        return body
    for rows in said.values():
        if isinstance(rows, list) and rows:
            rows.append(rows[0])
    return json.dumps(said).encode()


def _handler_of(proxy: FaultProxy) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            operation = self.headers.get(TARGET, "").rpartition(".")[2]
            if proxy.happens("slow"):
                time.sleep(proxy.faults.slow_seconds)
            if proxy.happens("throttled"):
                return self._say(400, _error("ThrottlingException", "Rate exceeded"))
            if proxy.happens("failed_before"):
                return self._say(503, _error("ServiceFault", "We are temporarily unable. Try again."))
            headers = {name: self.headers[name] for name in PASSED_ON if self.headers.get(name)}
            proxy.note(operation)
            answer = proxy.forward("POST", self.path, headers, body)
            if operation.startswith(proxy.faults.effects) and proxy.happens("lost_reply"):
                self.close_connection = True
                return None  # the effect happened, but the connection ends before the reply
            if operation.startswith("List"):
                answer = proxy.listing(operation, body, answer)
            return self._say(*answer)

        def do_GET(self) -> None:
            self._say(*proxy.forward("GET", self.path, {"Host": self.headers["Host"]}, b""))

        def _say(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/x-amz-json-1.1")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler


def _error(code: str, message: str) -> bytes:
    return json.dumps({"__type": code, "Message": message, "message": message}).encode()
