"""Mark a question's words in a passage."""

from django import template
from django.utils.safestring import SafeString

from judging.rules.question_words import mark_question_words
from judging.tasks.displayed_pairs import with_marks

register = template.Library()


@register.simple_tag
def with_question_words(text: str, question: str, language: str) -> SafeString:
    """Return the text with the question's content words marked."""
    return with_marks(mark_question_words(text, question, language))
