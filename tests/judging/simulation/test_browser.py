"""The browser of simulated workers, tested with a server that closes connections."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from urllib3.exceptions import ProtocolError

from judging.simulation.browser import Browser, BrowsingFailed, hang_up

REFUSAL = b'<p data-reason="closed"></p>'
PAGE = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (len(REFUSAL), REFUSAL)


@contextmanager
def server(*, hangs_up: int, page: bytes = PAGE) -> Iterator[tuple[str, list[bytes]]]:
    """Return its address and the requests it got. It reads the first ``hangs_up`` requests without answering."""
    asked: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection:
                    asked.append(connection.recv(65536))
                    if len(asked) > hangs_up:
                        connection.sendall(page)

        threading.Thread(target=answer, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", asked
        listening.shutdown(socket.SHUT_RDWR)
    hang_up()


def test_a_lost_page_is_requested_again():
    with server(hangs_up=2) as (site, asked):
        assert Browser(site).open_task(f"{site}/page").refusal == "closed"

    assert len(asked) == 3


def test_a_site_that_always_hangs_up_is_given_up():
    with server(hangs_up=99) as (site, asked), pytest.raises(ProtocolError):
        Browser(site).open_task(f"{site}/page")

    assert len(asked) == 3


def test_a_marketplace_with_closed_sign_up_is_distinguished_from_a_broken_one():
    closed = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

    with server(hangs_up=0, page=closed) as (site, _asked), pytest.raises(BrowsingFailed) as refusal:
        Browser(site).sign_up("simulated-1", "a long enough password 7", program=True)

    assert "Sign-up is closed" in str(refusal.value)
    assert "MARKETPLACE_OPEN_SIGNUP" in refusal.value.next_step
