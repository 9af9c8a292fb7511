"""Checks the sites to which a judging page sends a worker's browser. Only those in CROWD_HOSTS are allowed."""

from urllib.parse import urlsplit

from django.conf import settings

from config.internet_names import ascii_address
from judging.errors import ArrivalRefused
from judging.rules.worker_sentences import gettext_noop as _


def require_allowed(address: str) -> None:
    """Raise :class:`ArrivalRefused` for a URL that is not on one of the CROWD_HOSTS."""
    origin = origin_of(address)
    if not origin or origin not in {origin_of(host) for host in settings.CROWD_HOSTS}:
        raise ArrivalRefused(
            _("This link names a site other than the task site."),
            _("Go back to the task site and open the task again."),
        )


def origin_of(address: str) -> str:
    """Return the scheme and host of a web address in ASCII, or "" if the text is not a web address."""
    try:
        parts = urlsplit(ascii_address(address))
    except ValueError:  # invalid address in brackets, or invalid host name
        return ""
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme in ("http", "https") and parts.netloc else ""
