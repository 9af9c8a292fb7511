"""Previews of the worker's pages for researchers, from the same templates. The campaign's texts need not be saved."""

from collections.abc import Callable
from typing import Any

from csp.decorators import csp_replace
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation

from judging.models import Campaign
from judging.page.pair_html import pairs_html
from judging.page.views import texts_of
from judging.rules.durations import duration_words
from judging.tasks.displayed_pairs import sample_pairs

#: Maps a page's name to its template.
PAGES = {
    "offer": "judging/preview.html",
    "consent": "judging/consent.html",
    "pairs": "judging/task.html",
}
#: The text in place of the page token in the forms' URLs, which therefore lead nowhere.
TOKEN = "preview"  # noqa: S105 -- not a secret


def preview_page(request: HttpRequest, campaign: Campaign, page: str) -> HttpResponse:
    """Render one of :data:`PAGES` for the campaign as it is in memory, saved or not, to show in a frame of our pages.

    The frame must be sandboxed, so that its forms cannot submit. Without scripts, the page shows all pairs at once.
    """
    with translation.override(campaign.wording):
        pairs = sample_pairs(campaign) if page == "pairs" else []
        context: dict[str, Any] = texts_of(campaign, pairs=len(pairs) or None) | {
            "token": TOKEN,
            "trial": False,
            "answered": 0,
            "begun": False,
            "scripts": [],
            "time": duration_words(campaign.assignment_seconds, translation),
        }
        context["pairs"] = pairs_html(pairs, context)
        shown = render(request, PAGES[page], context)
    shown["X-Frame-Options"] = "SAMEORIGIN"
    policy = {"frame-ancestors": ["'self'"], "form-action": ["'none'"]}
    with_policy: Callable[..., Any] = csp_replace(policy)(lambda _request: shown)
    framed: HttpResponse = with_policy(request)
    return framed
