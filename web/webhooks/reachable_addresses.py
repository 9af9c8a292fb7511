"""The addresses that webhooks can use: public addresses over HTTPS, unless the installation allows others.

Messages are sent from inside the installation's network, where many services answer without authentication. So
every address of a host name must be public, both when a webhook is registered and before each connection. The
connection uses the checked address itself, so a name that changes a moment later (DNS rebinding) gains nothing.
"""

import socket
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

from web.errors import AddressRefused

LONGEST = 500
#: The prefix of IPv4 addresses that are mapped for a translator (RFC 6052).
NAT64 = IPv6Network("64:ff9b::/96")
#: The IPv6 range that IANA has assigned to the internet. Outside of it are, among others, loopback, fc00::/7 (local),
#: fe80::/10 (one link), fec0::/10 (site-local, deprecated), ff00::/8 (multicast), 64:ff9b:1::/48 (inner translators),
#: 100::/64 (discard), 5f00::/16 (segment routing) and ::/96 (IPv4-compatible, deprecated).
GLOBAL_UNICAST = IPv6Network("2000::/3")
# IANA's registries of special-purpose, multicast and reserved addresses, which are never receivers. The list is
# kept here because Python's own list changes between releases.
SPECIAL_V4 = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",  # this network
            "10.0.0.0/8",  # private
            "100.64.0.0/10",  # shared by a provider's customers
            "127.0.0.0/8",  # loopback
            "169.254.0.0/16",  # link-local; cloud metadata services give out credentials there
            "172.16.0.0/12",  # private
            "192.0.0.0/24",  # protocols: DS-Lite, PCP, NAT64 discovery
            "192.0.2.0/24",  # documentation
            "192.31.196.0/24",  # AS112
            "192.52.193.0/24",  # AMT
            "192.88.99.0/24",  # 6to4 relays
            "192.168.0.0/16",  # private
            "192.175.48.0/24",  # AS112
            "198.18.0.0/15",  # benchmarks
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved, and broadcast
        ),
    )
)
SPECIAL_V6 = tuple(
    map(
        IPv6Network,
        (
            "2001::/23",  # protocols: Teredo (2001::/32), benchmarks, ORCHID
            "2001:db8::/32",  # documentation
            "2002::/16",  # 6to4, which carries any IPv4 address
            "2620:4f:8000::/48",  # AS112
            "3ffe::/16",  # 6bone, returned to IANA
            "3fff::/20",  # documentation
        ),
    )
)
PORTS = {"https": 443, "http": 80}


@dataclass(frozen=True)
class Target:
    """A message's target: the host name and port, and the checked numeric addresses."""

    scheme: str
    host: str
    port: int
    path: str
    reached_at: tuple[str, ...]
    public: bool


def check_form(address: str) -> SplitResult:
    """Return the parts of a well-formed address, without looking up its host. Raises AddressRefused."""
    if len(address) > LONGEST:
        raise AddressRefused(f"The address is longer than {LONGEST} characters.", "Use a shorter one.")
    if any(not "!" <= character <= "~" for character in address):
        raise AddressRefused(
            "The address contains spaces or non-ASCII characters.",
            "Encode them: host names as xn--…, the rest with percent signs.",
        )
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        raise AddressRefused("Invalid address.", "Enter one such as https://ci.example.org/hook.") from None
    allowed = {"https", "http"} if settings.WEBHOOK_PRIVATE_ADDRESSES else {"https"}
    if parts.scheme not in allowed or not parts.hostname or port == 0:
        raise AddressRefused(
            "A webhook needs an https:// address with a host and a valid port.",
            "Enter one such as https://ci.example.org/hook.",
        )
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise AddressRefused(
            "The address contains a user name, password or fragment.",
            "Remove it. Messages are signed; if you need a secret, use the path.",
        )
    return parts


def look_up(address: str) -> Target:
    """Look up the host and check its numeric addresses. Raises AddressRefused, or OSError for an unknown host."""
    parts = check_form(address)
    host, port = str(parts.hostname), parts.port or PORTS[parts.scheme]
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError:
        raise AddressRefused(f"{host} is not a valid host name.", "Check the address.") from None
    numbers = tuple(dict.fromkeys(str(sockaddr[0]) for _, _, _, _, sockaddr in found))
    public = all(is_public(number) for number in numbers)
    if not public and not settings.WEBHOOK_PRIVATE_ADDRESSES:
        raise AddressRefused(
            f"{host} resolves to an address that is not public.",
            "Use a public address, or ask an administrator to allow private addresses.",
        )
    if public and parts.scheme != "https":
        raise AddressRefused(
            f"{host} is a public address: http:// is for private addresses only.", "Use https://."
        )
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(parts.scheme, host, port, path, numbers, public)


def is_public(number: str) -> bool:
    """Return whether a numeric address is public. If it embeds an IPv4 address, that address is checked instead."""
    if "%" in number:  # a link-local address
        return False
    found = ip_address(number)
    if isinstance(found, IPv6Address):
        carried = found.ipv4_mapped or (IPv4Address(int(found) & 0xFFFF_FFFF) if found in NAT64 else None)
        if carried is None:
            return found in GLOBAL_UNICAST and not _is_in_networks(found, SPECIAL_V6)
        found = carried
    return not _is_in_networks(found, SPECIAL_V4)


def _is_in_networks(found: IPv4Address | IPv6Address, networks: Sequence[IPv4Network | IPv6Network]) -> bool:
    return any(found in network for network in networks)
