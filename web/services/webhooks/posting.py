"""Send one message over HTTP: to the address that was checked, in bounded time, following nothing.

http.client, and no library above it: those look names up themselves, and between their look and ours a name may
come to lead elsewhere. Proxies named in the environment are not asked either.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
import time
from contextlib import suppress
from dataclasses import dataclass

from django.conf import settings

from config.errors import Refusal
from web.services.webhooks.reaching import Target, look_up

#: So much of an answer is read; the rest is never asked for.
READ_BYTES = 4096
KEPT_CHARACTERS = 1000


@dataclass(frozen=True)
class Reply:
    """How a try went: ``code`` is None when no answer came, ``problem`` empty when it was taken in."""

    code: int | None
    text: str
    problem: str
    seconds: float


class _Pinned(http.client.HTTPConnection):
    """A connection to numeric addresses that were looked at before, under the name in the address."""

    def __init__(self, target: Target, seconds: float) -> None:
        super().__init__(target.host, target.port, timeout=seconds)
        self.target = target
        self.cut = False
        # Its own hold on the socket: the library lets go of it as soon as the answer's head is there.
        self.wire: socket.socket | None = None
        if target.scheme == "https":
            self.default_port = 443  # or the header Host would name the port

    def connect(self) -> None:
        """Connect to the first address that answers, with TLS under the name."""
        self.sock = self.wire = self._reached()
        self._refuse_when_cut()
        if self.target.scheme == "https":
            # The handshake apart, so that the socket is there to be cut off while it lasts.
            self.sock = self.wire = ssl.create_default_context().wrap_socket(
                self.sock, server_hostname=self.target.host, do_handshake_on_connect=False
            )
            self._refuse_when_cut()
            self.sock.do_handshake()

    def _reached(self) -> socket.socket:
        fault: OSError = ConnectionError("nowhere to go")
        for number in self.target.reached_at[:3]:
            try:
                return socket.create_connection((number, self.target.port), timeout=self.timeout)
            except OSError as error:
                fault = error
            self._refuse_when_cut()
        raise fault

    def _refuse_when_cut(self) -> None:
        """It may have been cut off while there was no socket yet to end."""
        if self.cut:
            raise TimeoutError

    def cut_off(self) -> None:
        """End it from another thread: a receiver that sends a byte now and then would hold it for ever."""
        self.cut = True
        if self.wire is not None:
            with suppress(OSError):  # it is over already
                socket.socket.shutdown(self.wire, socket.SHUT_RDWR)


def post(address: str, body: bytes, headers: dict[str, str]) -> Reply:
    """Send the body to the address; whatever goes wrong is in the reply."""
    began = time.monotonic()
    code, text, problem = None, "", ""
    try:
        target = look_up(address)
        code, text = _exchange(target, body, headers)
        problem = "" if 200 <= code < 300 else _words_for(code)
    except Refusal as refusal:
        problem = refusal.message
    except socket.gaierror:
        problem = "The name in the address is not known."
    except ssl.SSLCertVerificationError as error:
        problem = f"The certificate is not valid: {error.verify_message}."
    except ssl.SSLError as error:
        problem = f"No secure connection could be made ({error.reason or 'TLS'})."
    except TimeoutError:
        problem = f"No answer within {settings.WEBHOOK_TIMEOUT_SECONDS:g} seconds."
    except ConnectionRefusedError:
        problem = "The connection was refused: nothing listens there."
    except (OSError, http.client.HTTPException) as error:
        problem = f"The connection broke off ({type(error).__name__})."
    return Reply(code, text, problem[:300], time.monotonic() - began)


def _exchange(target: Target, body: bytes, headers: dict[str, str]) -> tuple[int, str]:
    """Status and the beginning of the answer. Raises OSError, HTTPException."""
    seconds = settings.WEBHOOK_TIMEOUT_SECONDS
    connection = _Pinned(target, seconds)
    watch = threading.Timer(seconds, connection.cut_off)
    watch.daemon = True
    watch.start()
    try:
        connection.request("POST", target.path, body, headers | {"Connection": "close"})
        with connection.getresponse() as reply:
            if connection.cut:  # the library takes headers that end in the middle for whole ones
                raise TimeoutError
            return reply.status, _beginning_of(reply) if target.public else ""
    except (OSError, http.client.HTTPException) as error:
        if connection.cut:
            raise TimeoutError from error
        raise
    finally:
        watch.cancel()
        connection.close()


def _beginning_of(reply: http.client.HTTPResponse) -> str:
    """The beginning of the answer. Of inner addresses it is not kept: no window into the network."""
    try:
        text = reply.read(READ_BYTES)
    except (OSError, http.client.HTTPException):  # the status is what counts, and it is there
        return ""
    return text.decode(errors="replace").replace("\x00", "")[:KEPT_CHARACTERS]


def _words_for(code: int) -> str:
    if 300 <= code < 400:
        return f"It answered {code}: redirects are not followed."
    return f"It answered {code}."
