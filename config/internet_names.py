"""Names of hosts as they travel: headers, such as a content security policy, hold ASCII alone. Pure."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

import idna


def ascii_address(address: str) -> str:
    """The address with its host as browsers send it: ``https://bücher.example`` is ``https://xn--bcher-kva.example``.

    Raises ValueError for a host that no name can be made of.
    """
    parts = urlsplit(address)
    if parts.hostname is None or parts.hostname.isascii():
        return address
    user, at, host = parts.netloc.rpartition("@")
    name, colon, port = host.partition(":")
    return urlunsplit(parts._replace(netloc=f"{user}{at}{ascii_host(name)}{colon}{port}"))


def ascii_host(name: str) -> str:
    """The name of a host, or of all below it (``.bücher.example``), in ASCII. Raises ValueError."""
    if name.isascii():
        return name
    below = "." if name.startswith(".") else ""
    try:
        return below + idna.encode(name.removeprefix("."), uts46=True).decode()
    except idna.IDNAError as error:
        raise ValueError(f"{name} is not the name of a host: {error}") from None
