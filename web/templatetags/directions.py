"""Refusals and next steps as pages show them."""

from collections.abc import Iterable, Mapping
from typing import Any

from django import template
from django.contrib.auth.models import AnonymousUser
from django.template import Context
from django.utils.safestring import SafeString

from web.common import directions
from web.common.access import Reader
from web.common.folded_problems import FoldedProblem, counts_in_words, fold, unlisted

register = template.Library()
#: The key under which a template's render context stores the reader, so that rights are looked up once per page.
_READER = "reader of directions"


@register.filter
def folded(
    problems: Iterable[Mapping[str, Any]], counts: Mapping[str, int] | None = None
) -> list[FoldedProblem]:
    """Return a file's problems, folded by kind. ``counts``: their numbers by kind, including unlisted problems."""
    return fold(problems, counts)


register.filter("in_words", counts_in_words)
register.filter("unlisted", unlisted)


@register.simple_tag(takes_context=True)
def directed(context: Context, text: Any, collection: Any = "") -> SafeString:
    """Return guidance as HTML, in which each action that the reader can take is a link to its page."""
    reader = context.render_context.get(_READER) or Reader(context.get("user", AnonymousUser()))
    context.render_context[_READER] = reader
    name = getattr(collection, "name", collection) or ""
    return directions.guidance_html(text, collection=name, may_open=reader.may_open)
