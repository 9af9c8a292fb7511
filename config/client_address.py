"""The client's address, for rate limits."""

import ipaddress

from allauth.core.internal.httpkit import get_client_ip
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest


def client_network(request: HttpRequest) -> str:
    """Return the client's IPv4 address or IPv6 /64 network (one customer has a whole /64), or "" if it is unknown.

    Behind proxies (``PREFEREE_TRUSTED_PROXIES``), this is the address that the outermost trusted proxy saw.
    """
    try:
        address = ipaddress.ip_address(get_client_ip(request) or "")
    except (
        ImproperlyConfigured,
        ValueError,
    ):  # fewer proxies than configured, or a socket without a peer
        return ""
    mapped = getattr(address, "ipv4_mapped", None)
    if mapped or address.version == 4:
        return str(mapped or address)
    return str(ipaddress.ip_network((address, 64), strict=False))
