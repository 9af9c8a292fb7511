"""Words of a question, marked in a passage."""

from __future__ import annotations

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from judging.rules.question_words import marked

register = template.Library()


@register.simple_tag
def with_question_words(text: str, question: str, language: str) -> SafeString:
    """Return the text with the question's content words marked."""
    parts = marked(text, question, language)
    return format_html_join(
        "",
        "{}",
        ((format_html("<mark>{}</mark>", part.text) if part.marked else part.text,) for part in parts),
    )
