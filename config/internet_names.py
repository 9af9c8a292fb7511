"""Host names in ASCII, as headers such as a content security policy need them."""

from urllib.parse import urlsplit, urlunsplit

import idna


def ascii_address(address: str) -> str:
    """Return a URL with its host in ASCII: ``https://bücher.example`` becomes ``https://xn--bcher-kva.example``.

    Raises ValueError for an invalid host.
    """
    parts = urlsplit(address)
    if parts.hostname is None or parts.hostname.isascii():
        return address
    user, at, host = parts.netloc.rpartition("@")
    name, colon, port = host.partition(":")
    return urlunsplit(parts._replace(netloc=f"{user}{at}{ascii_host(name)}{colon}{port}"))


def ascii_host(name: str) -> str:
    """Return a host name, or a domain with its subdomains (``.bücher.example``), in ASCII. Raises ValueError."""
    if name.isascii():
        return name
    below = "." if name.startswith(".") else ""
    try:
        return below + idna.encode(name.removeprefix("."), uts46=True).decode()
    except idna.IDNAError as error:
        raise ValueError(f"{name} is not a host name: {error}") from None
