"""Pure: the requester endpoints that are known by name, and the sites their workers come from."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True)
class KnownEndpoint:
    """A crowd's endpoint: its name, and the origins that frame the page and take its form, the latter first."""

    name: str
    hosts: tuple[str, ...]
    real_money: bool


#: Endpoints and sites as Amazon documents them ("ExternalQuestion", "Developer Sandbox").
KNOWN = {
    "https://mturk-requester.us-east-1.amazonaws.com": KnownEndpoint(
        "MTurk production", ("https://www.mturk.com", "https://worker.mturk.com"), real_money=True
    ),
    "https://mturk-requester-sandbox.us-east-1.amazonaws.com": KnownEndpoint(
        "MTurk sandbox", ("https://workersandbox.mturk.com",), real_money=False
    ),
}


#: Nothing but Preferee's own marketplace answers on the machine itself.
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


def known(endpoint: str) -> KnownEndpoint | None:
    """The known endpoint at this address, or None."""
    return KNOWN.get(origin(endpoint))


def is_amazon(endpoint: str) -> bool:
    """Whether Amazon answers there: everything else that speaks its protocol to us is Preferee's marketplace."""
    host = urlsplit(endpoint).hostname or ""
    return host.endswith(".amazonaws.com")


def crowd_words(endpoint: str, embedded: str) -> str:
    """Who the crowd at this address is, as papers say it; ``embedded`` is the built-in marketplace's address."""
    host = urlsplit(endpoint).hostname or ""
    if origin(endpoint) == origin(embedded) or host in LOOPBACK:
        return "Preferee's own marketplace"
    if found := known(endpoint):
        return "Amazon Mechanical Turk" if found.real_money else "the sandbox of Amazon Mechanical Turk"
    return f"the crowd at {host}" if host else ""


def default_hosts(endpoint: str) -> list[str]:
    """The origins of a crowd's worker sites: those that are known, else the endpoint's own."""
    found = known(endpoint)
    return list(found.hosts) if found else [endpoint]


def origin(address: str) -> str:
    """Scheme, host and port of an address, in lower case; empty for what is none."""
    try:
        parts = urlsplit(address.strip())
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}".lower() if parts.scheme and parts.netloc else ""


def is_loopback(address: str) -> bool:
    """Whether the address names this machine only."""
    host = urlsplit(address).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
