"""Guidance in API responses. It names API calls instead of pages, and only calls that the caller may make."""

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from pydantic import BeforeValidator, ValidationInfo

from web.common.access import Reader
from web.common.directions import guidance_for_programs


def guidance_for(request: HttpRequest | None) -> Callable[[Any], str]:
    """Return the function that formats guidance for the caller of this request."""
    caller = getattr(request, "auth", None)
    reader = caller.reader if caller else Reader(AnonymousUser())
    return partial(guidance_for_programs, may_call=reader.may_open)


def _for_caller(text: Any, info: ValidationInfo) -> str:
    return guidance_for((info.context or {}).get("request"))(text)


#: A text field of a response. Actions in the text are named as API calls.
Guided = Annotated[str, BeforeValidator(_for_caller)]
