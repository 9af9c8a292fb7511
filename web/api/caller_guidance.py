"""Word guidance as API calls, and name only calls that the caller's role allows."""

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from pydantic import BeforeValidator, ValidationInfo

from web.common.access import Reader
from web.common.directions import guidance_for_programs


def guidance_for(request: HttpRequest | None) -> Callable[[Any], str]:
    """Return the function that words guidance for the caller of this request."""
    caller = getattr(request, "auth", None)
    reader = caller.reader if caller else Reader(AnonymousUser())
    return partial(guidance_for_programs, may_call=reader.may_open)


def _for_caller(text: Any, info: ValidationInfo) -> str:
    return guidance_for((info.context or {}).get("request"))(text)


#: A field of a response that can name actions.
Guided = Annotated[str, BeforeValidator(_for_caller)]
