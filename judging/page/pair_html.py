"""The HTML of a task's pairs.

A page's pairs differ only in numbers and texts, and rendering the template for each pair took most of the page's
time. So the template is rendered once with placeholders, which are then filled in for each pair.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext_lazy

from judging.models import PairReport
from judging.rules.grade_scale import Level
from judging.tasks.displayed_pairs import ShownPair

REPORT_KINDS = [
    (PairReport.Kind.BROKEN, gettext_lazy("Text is missing, cut off or unreadable")),
    (PairReport.Kind.OFFENSIVE, gettext_lazy("Offensive or upsetting")),
    (PairReport.Kind.LANGUAGE, gettext_lazy("Wrong language")),
    (PairReport.Kind.OTHER, gettext_lazy("Something else")),
]
VARYING = ("number", "total", "question", "left", "right", "made", "report_to", "report_words")
#: Matches a placeholder in rendered HTML. Its delimiters are private-use characters, which no template contains.
_STAND_IN = re.compile("\ue000([a-z_]+)\ue001")


class _Kind(NamedTuple):
    """The properties, other than the :data:`VARYING` ones, that a pair's HTML depends on.

    Pairs of the same kind share one rendered template.
    """

    wording: str
    language: str
    direction: str
    levels: tuple[tuple[str, Level], ...]
    allow_undecided: bool
    chosen: str
    reported: bool
    open: bool


def pairs_html(pairs: Sequence[ShownPair], context: dict[str, Any]) -> SafeString:
    """Return the HTML of these pairs on a page with this context.

    The context's ``unclear_report``, if any, is the number of a pair that was reported without choosing a kind. The
    report form of this pair is shown open, with the text of ``report_words``.
    """
    campaign, report_to = context["campaign"], reverse("judging:report", args=[context["token"]])
    shared = get_language(), context["language"], context["direction"], tuple(context["levels"])
    rendered = []
    for pair in pairs:
        unclear = pair.number == context.get("unclear_report")
        kind = _Kind(*shared, campaign.allow_undecided, pair.chosen, bool(pair.reported), unclear)
        filled = {
            "number": pair.number,
            "total": context["total"],
            "question": conditional_escape(pair.question),
            "left": conditional_escape(pair.left),
            "right": conditional_escape(pair.right),
            "made": pair.made,
            "report_to": report_to,
            "report_words": conditional_escape(context["report_words"] if unclear else ""),
        }
        rendered.append(_rendered(kind) % filled)
    return mark_safe("\n".join(rendered))  # noqa: S308 -- every text is escaped


@lru_cache(maxsize=500)
def _rendered(kind: _Kind) -> str:
    """Return the HTML of a pair of this kind, with placeholders such as ``%(number)s`` for the parts that vary."""
    stand_ins = {name: f"\ue000{name}\ue001" for name in VARYING}
    context = kind._asdict() | stand_ins | {"kinds": REPORT_KINDS}
    html = render_to_string("judging/parts/pair.html", context)
    return _STAND_IN.sub(r"%(\1)s", html.replace("%", "%%"))
