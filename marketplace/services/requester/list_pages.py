"""Pages of a list. A token names the last row shown, so that rows can be added and removed between calls."""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.core import signing
from django.db.models import Model, QuerySet

from marketplace.errors import ParameterValidationError
from marketplace.services.call import Call

DEFAULT_SIZE = 10
_SALT = "marketplace.paging"
_Row = TypeVar("_Row", bound=Model)


@dataclass(frozen=True)
class Page(Generic[_Row]):
    """The rows of one page, and the token of the next one (None on the last page)."""

    rows: list[_Row]
    next_token: str | None

    def answer(self, name: str, described: list[dict[str, Any]]) -> dict[str, Any]:
        """Return the response of a list operation, with the rows as its member ``name``."""
        return {"NumResults": len(self.rows), "NextToken": self.next_token, name: described}


def page(rows: QuerySet[_Row], call: Call, *, of: str, newest_first: bool = False) -> Page[_Row]:
    """Return the page of ``rows`` that ``call`` requests.

    ``of`` names the list. A token from another list is refused.
    """
    size = call.request.get("MaxResults", DEFAULT_SIZE)
    token = call.request.get("NextToken")
    if token is not None:
        after = _last_row_shown(token, of)
        rows = rows.filter(pk__lt=after) if newest_first else rows.filter(pk__gt=after)
    found = list(rows.order_by("-pk" if newest_first else "pk")[: size + 1])
    shown = found[:size]
    more = len(found) > size
    return Page(shown, signing.dumps([of, shown[-1].pk], salt=_SALT) if more else None)


def _last_row_shown(token: str, of: str) -> int:
    try:
        name, after = signing.loads(token, salt=_SALT)
    except (signing.BadSignature, ValueError, TypeError):
        raise ParameterValidationError("NextToken", token) from None
    if name != of:
        raise ParameterValidationError("NextToken", token, "It belongs to another list.")
    return int(after)
