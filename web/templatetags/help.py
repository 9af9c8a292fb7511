"""A question mark beside a term, with its meaning from the glossary."""

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from web.help.documents import anchor, glossary

register = template.Library()


@register.simple_tag
def term(name: str) -> SafeString:
    """Return a link to the glossary that shows the term's meaning on hover and focus.

    Raises KeyError if the glossary has no such term.
    """
    address = f"{reverse('web:document', args=['glossary'])}#{anchor(name)}"
    return format_html(
        '<a class="term" href="{}" aria-label="{}: what it means"><span aria-hidden="true">?</span>'
        '<span class="tip" role="tooltip">{}</span></a>',
        address,
        name,
        glossary()[anchor(name)],
    )
