"""Which addresses messages may go to: to the public internet, over HTTPS, unless the installation says otherwise.

A message is sent from inside the installation's own network, where much answers without asking who calls. So every
address that a name leads to must be public, when a webhook is registered and again each time before connecting, and
the connection goes to the very address that was looked at: a name that leads elsewhere a moment later (DNS
rebinding) gains nothing.
"""

from __future__ import annotations

import socket
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

from web.errors import AddressRefused

LONGEST = 500
#: What carries an IPv4 address through a translator (RFC 6052).
NAT64 = IPv6Network("64:ff9b::/96")
PORTS = {"https": 443, "http": 80}


@dataclass(frozen=True)
class Target:
    """Where a message goes: the name and port in the address, and the numeric addresses that were looked at."""

    scheme: str
    host: str
    port: int
    path: str
    reached_at: tuple[str, ...]
    public: bool


def check_form(address: str) -> SplitResult:
    """Refuse what is no address of a receiver, by its form alone. Raises AddressRefused."""
    if len(address) > LONGEST:
        raise AddressRefused(f"The address is longer than {LONGEST} characters.", "Give a shorter one.")
    if any(not "!" <= character <= "~" for character in address):
        raise AddressRefused(
            "The address has blanks or characters outside of ASCII.",
            "Write them as browsers send them: names as xn--…, the rest with percent signs.",
        )
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        raise AddressRefused("This is no address.", "Give one such as https://ci.example.org/hook.") from None
    allowed = {"https", "http"} if settings.WEBHOOK_PRIVATE_ADDRESSES else {"https"}
    if parts.scheme not in allowed or not parts.hostname or port == 0:
        raise AddressRefused(
            "Webhooks go to addresses that begin with https://.",
            "Give one such as https://ci.example.org/hook.",
        )
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise AddressRefused(
            "The address has a user name, a password or a fragment in it.",
            "Leave them out: messages are signed, and a secret may stand in the path.",
        )
    return parts


def look_up(address: str) -> Target:
    """Where the address leads now. Raises AddressRefused; OSError when the name is not known."""
    parts = check_form(address)
    host, port = str(parts.hostname), parts.port or PORTS[parts.scheme]
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError:
        raise AddressRefused(f"{host} cannot be the name of a machine.", "Check the address.") from None
    numbers = tuple(dict.fromkeys(str(sockaddr[0]) for _, _, _, _, sockaddr in found))
    public = all(is_public(number) for number in numbers)
    if not public and not settings.WEBHOOK_PRIVATE_ADDRESSES:
        raise AddressRefused(
            f"{host} leads to an address that is not public.",
            "Give one on the internet, or ask whoever runs this installation to allow inner addresses.",
        )
    if public and parts.scheme != "https":
        raise AddressRefused(f"{host} is on the internet: http:// is for inner addresses.", "Use https://.")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(parts.scheme, host, port, path, numbers, public)


def is_public(number: str) -> bool:
    """Whether a numeric address is one of the public internet; one that carries another is judged by that."""
    found = ip_address(number.partition("%")[0])
    return all(_is_public(one) for one in _carried(found) or [found])


def _is_public(found: IPv4Address | IPv6Address) -> bool:
    return found.is_global and not (found.is_multicast or found.is_reserved or found.is_unspecified)


def _carried(found: IPv4Address | IPv6Address) -> Sequence[IPv4Address | IPv6Address]:
    if isinstance(found, IPv4Address):
        return []
    inner: list[IPv4Address | None] = [found.ipv4_mapped, found.sixtofour, *(found.teredo or ())]
    if found in NAT64:
        inner.append(IPv4Address(int(found) & 0xFFFF_FFFF))
    return [one for one in inner if one is not None]
