"""A real receiver on this machine, and a webhook with its address."""

import random
import ssl
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from django.contrib.auth import get_user_model

from config import clock
from pooling.models import Membership
from web.webhooks import delivery as delivering, endpoints
from web.webhooks.event_messages import KINDS


@dataclass
class Got:
    """A received request."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """Answers ``replies`` in turn (a status, ``hang``, ``drip``, ``drip body``), then 204; stores its requests."""

    address: str = ""
    replies: list = field(default_factory=list)
    got: list[Got] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    @property
    def ids(self) -> list[str]:
        return [one.headers["webhook-id"] for one in self.got]

    def handler(receiver):
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                receiver.got.append(Got(self.path, {k.lower(): v for k, v in self.headers.items()}, body))
                reply = receiver.replies.pop(0) if receiver.replies else 204
                if reply == "hang":
                    receiver.over.wait(30)
                elif reply == "drip":
                    self._drip(b"HTTP/1.1 200 OK\r\nX-Slow: ")
                elif reply == "drip body":
                    self._drip(b"HTTP/1.1 200 OK\r\n\r\n")
                else:
                    self.send_response(reply)
                    if 300 <= reply < 400:
                        self.send_header("Location", f"{receiver.address}elsewhere")
                    self.end_headers()
                    if reply != 204:
                        self.wfile.write(b"said <b>the</b> receiver\x00" + b"." * 9000)

            def _drip(self, first: bytes) -> None:
                """Send a byte now and then, so that no single wait is long."""
                self.wfile.write(first)
                while not receiver.over.wait(0.05):
                    try:
                        self.wfile.write(b"x")
                    except OSError:
                        return

            def log_message(self, *_: object) -> None:
                pass

        return Handler


class Server(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """Ignore closed connections."""


@contextmanager
def listening(tls: ssl.SSLContext | None = None):
    """Run a receiver during the block."""
    receiver = Receiver()
    server = Server(("127.0.0.1", 0), receiver.handler())
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    receiver.address = f"{'https' if tls else 'http'}://127.0.0.1:{server.server_port}/"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield receiver
    finally:
        receiver.over.set()
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def receiver(settings):
    settings.WEBHOOK_PRIVATE_ADDRESSES = True
    with listening() as one:
        yield one


@pytest.fixture
def owner(harbour):
    user = get_user_model().objects.create_user("owner")
    Membership.objects.create(collection=harbour.collection, user=user, role="owner")
    return user


@pytest.fixture
def hook(harbour, owner, receiver):
    """A webhook for all events at the receiver; ``secret`` is the one that its owner was shown."""
    made = endpoints.register_endpoint(
        collection=harbour.collection, address=f"{receiver.address}hook?k=v", events=list(KINDS), user=owner
    )
    made.endpoint.plain = made.secret
    return made.endpoint


def send(hook) -> int:
    """Run the jobs: create messages from events, and send those that are due."""
    delivering.write_messages()
    return delivering.deliver_due(hook.pk, rng=random.Random(1))


@contextmanager
def later(**time: int):
    """Move the clock forward."""
    with clock.shifted(timedelta(**time)):
        yield
