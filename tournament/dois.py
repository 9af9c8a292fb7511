"""Parse DOIs as people enter them, and return their addresses."""

import re
from urllib.parse import quote

LONGEST = 200
_RESOLVERS = re.compile(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)
#: A registrant's prefix and a suffix. Braces, quotation marks and backslashes would break a BibTeX entry.
_FORM = re.compile(r"10\.\d{4,9}(?:\.\d+)*/[^\s\"<>{}\\]+")


def read_doi(text: str) -> str | None:
    """Return the DOI in ``text``, written alone, as an address or after ``doi:``; None if it is not a DOI."""
    found = _RESOLVERS.sub("", text.strip())
    return found if len(found) <= LONGEST and found.isprintable() and _FORM.fullmatch(found) else None


def doi_address(doi: str) -> str:
    """Return the address that resolves the DOI."""
    return f"https://doi.org/{quote(doi, safe='/:;().,-_~!*')}"
