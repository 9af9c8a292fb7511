"""Send one message over HTTP to the checked address, in bounded time, without following redirects.

This uses http.client because higher-level libraries resolve names again, and a name can point elsewhere by then.
Proxies from the environment are ignored too.
"""

import http.client
import socket
import ssl
import threading
import time
from contextlib import suppress
from dataclasses import dataclass

from django.conf import settings

from config.errors import Refusal
from web.webhooks.reachable_addresses import Target, look_up

#: Number of bytes of a response that are read.
READ_BYTES = 4096
KEPT_CHARACTERS = 1000


@dataclass(frozen=True)
class Reply:
    """The result of an attempt: ``code`` is None without a response, ``problem`` is empty on success."""

    code: int | None
    text: str
    problem: str
    seconds: float


class _Pinned(http.client.HTTPConnection):
    """A connection to numeric addresses that were checked before, using the host name for TLS and headers."""

    def __init__(self, target: Target, seconds: float) -> None:
        super().__init__(target.host, target.port, timeout=seconds)
        self.target = target
        self.cut = False
        # Keep our own reference to the socket: the library drops it once the response headers have arrived.
        self.wire: socket.socket | None = None
        if target.scheme == "https":
            self.default_port = 443  # or the Host header would include the port

    def connect(self) -> None:
        """Connect to the first address that answers, with TLS for the host name."""
        self.sock = self.wire = self._reached()
        self._refuse_when_cut()
        if self.target.scheme == "https":
            # A separate handshake, so that the socket can be closed during the handshake.
            self.sock = self.wire = ssl.create_default_context().wrap_socket(
                self.sock, server_hostname=self.target.host, do_handshake_on_connect=False
            )
            self._refuse_when_cut()
            self.sock.do_handshake()

    def _reached(self) -> socket.socket:
        fault: OSError = ConnectionError("there is no address to connect to")
        for number in self.target.reached_at[:3]:
            try:
                return socket.create_connection((number, self.target.port), timeout=self.timeout)
            except OSError as error:
                fault = error
            self._refuse_when_cut()
        raise fault

    def _refuse_when_cut(self) -> None:
        """Raise TimeoutError if the connection was cut off in the meantime."""
        if self.cut:
            raise TimeoutError

    def cut_off(self) -> None:
        """Close the connection from another thread, so that a slow receiver cannot hold it open forever."""
        self.cut = True
        if self.wire is not None:
            with suppress(OSError):  # already closed
                socket.socket.shutdown(self.wire, socket.SHUT_RDWR)


def post(address: str, body: bytes, headers: dict[str, str]) -> Reply:
    """Send the body to the address. The reply describes any failure."""
    began = time.monotonic()
    code, text, problem = None, "", ""
    try:
        target = look_up(address)
        code, text = _post_and_read(target, body, headers)
        problem = "" if 200 <= code < 300 else _words_for(code)
    except Refusal as refusal:
        problem = refusal.message
    except socket.gaierror:
        problem = "The host in the address was not found."
    except ssl.SSLCertVerificationError as error:
        problem = f"The certificate is not valid: {error.verify_message}."
    except ssl.SSLError as error:
        problem = f"No secure connection could be made ({error.reason or 'TLS'})."
    except TimeoutError:
        problem = f"No answer within {settings.WEBHOOK_TIMEOUT_SECONDS:g} seconds."
    except ConnectionRefusedError:
        problem = "The connection was refused."
    except (OSError, http.client.HTTPException) as error:
        problem = f"The connection failed ({type(error).__name__})."
    return Reply(code, text, problem[:300], time.monotonic() - began)


def _post_and_read(target: Target, body: bytes, headers: dict[str, str]) -> tuple[int, str]:
    """Return the status and the beginning of the response. Raises OSError, HTTPException.

    The text is empty for a private address, so that it reveals nothing about the network.
    """
    seconds = settings.WEBHOOK_TIMEOUT_SECONDS
    connection = _Pinned(target, seconds)
    watch = threading.Timer(seconds, connection.cut_off)
    watch.daemon = True
    watch.start()
    try:
        connection.request("POST", target.path, body, headers | {"Connection": "close"})
        with connection.getresponse() as reply:
            if connection.cut:  # the library accepts truncated headers as complete
                raise TimeoutError
            return reply.status, _start_of_reply(reply) if target.public else ""
    except (OSError, http.client.HTTPException) as error:
        if connection.cut:
            raise TimeoutError from error
        raise
    finally:
        watch.cancel()
        connection.close()


def _start_of_reply(reply: http.client.HTTPResponse) -> str:
    """Return the beginning of the response as text; empty if it cannot be read."""
    try:
        text = reply.read(READ_BYTES)
    except (OSError, http.client.HTTPException):  # only the status matters, and it has arrived
        return ""
    return text.decode(errors="replace").replace("\x00", "")[:KEPT_CHARACTERS]


def _words_for(code: int) -> str:
    if 300 <= code < 400:
        return f"It answered {code}: redirects are not followed."
    return f"It answered {code}."
