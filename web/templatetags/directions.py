"""Refusals and next steps as pages show them."""

from collections.abc import Iterable, Mapping
from typing import Any

from django import template
from django.utils.safestring import SafeString

from web.common import directions
from web.common.folded_problems import FoldedProblem, counts_in_words, fold

register = template.Library()


@register.filter
def folded(
    problems: Iterable[Mapping[str, Any]], counts: Mapping[str, int] | None = None
) -> list[FoldedProblem]:
    """Return a file's problems, folded by kind. ``counts``: their numbers by kind, unlisted ones included."""
    return fold(problems, counts)


register.filter("in_words", counts_in_words)


@register.filter
def directed(text: Any, collection: Any = "") -> SafeString:
    """Return text written for a terminal, with links to the pages for its actions."""
    return directions.guidance_html(text, collection=getattr(collection, "name", collection) or "")
