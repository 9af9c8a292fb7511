"""Known requester endpoints of crowds, and the sites where their workers find tasks."""

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True)
class KnownEndpoint:
    """A crowd's requester endpoint. ``hosts`` are the origins that frame the judging page.

    The first host receives the page's final form.
    """

    name: str
    hosts: tuple[str, ...]
    real_money: bool


#: Requester endpoints with their worker sites, as Amazon documents them ("ExternalQuestion", "Developer Sandbox").
KNOWN = {
    "https://mturk-requester.us-east-1.amazonaws.com": KnownEndpoint(
        "MTurk production", ("https://www.mturk.com", "https://worker.mturk.com"), real_money=True
    ),
    "https://mturk-requester-sandbox.us-east-1.amazonaws.com": KnownEndpoint(
        "MTurk sandbox", ("https://workersandbox.mturk.com",), real_money=False
    ),
}


#: Loopback hosts. A crowd at one of them is always Preferee's own marketplace.
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


def known(endpoint: str) -> KnownEndpoint | None:
    """Return the known endpoint with the same origin as this address, or None."""
    return KNOWN.get(origin(endpoint))


def is_amazon(endpoint: str) -> bool:
    """Return whether the endpoint is Amazon's. Any other endpoint with MTurk's protocol is Preferee's marketplace."""
    host = urlsplit(endpoint).hostname or ""
    return host.endswith(".amazonaws.com")


def crowd_words(endpoint: str, embedded: str) -> str:
    """Return the crowd's name as a paper would state it, or "" if the endpoint has no host.

    ``embedded`` is the address of the built-in marketplace.
    """
    host = urlsplit(endpoint).hostname or ""
    if origin(endpoint) == origin(embedded) or host in LOOPBACK:
        return "Preferee's own marketplace"
    if found := known(endpoint):
        return "Amazon Mechanical Turk" if found.real_money else "the sandbox of Amazon Mechanical Turk"
    return f"the crowd at {host}" if host else ""


def default_hosts(endpoint: str) -> list[str]:
    """Return the origins of a crowd's worker sites. If none are known, return only the endpoint itself."""
    found = known(endpoint)
    return list(found.hosts) if found else [endpoint]


def origin(address: str) -> str:
    """Return the scheme, host and port of a URL in lower case, or "" if the text is not a URL."""
    try:
        parts = urlsplit(address.strip())
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}".lower() if parts.scheme and parts.netloc else ""


def is_loopback(address: str) -> bool:
    """Return whether the host of this URL is a loopback address, so that only this machine can reach it."""
    host = urlsplit(address).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
