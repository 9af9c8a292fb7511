"""The worker's pages for whoever prepares a campaign: the same templates, with texts that need not be saved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from csp.decorators import csp_replace
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation

from judging.durations import in_words
from judging.models import Campaign
from judging.services.showing import sample_pairs
from judging.views import REPORT_KINDS, texts_of

#: What is shown → its template. The token in the forms' addresses opens nothing.
PAGES = {
    "offer": "judging/preview.html",
    "consent": "judging/consent.html",
    "pairs": "judging/task.html",
}
TOKEN = "preview"  # noqa: S105 -- it is no secret, and no token


def preview_page(request: HttpRequest, campaign: Campaign, page: str) -> HttpResponse:
    """A worker's page of the campaign as it is in memory, fit to stand in a frame of our own pages.

    Put it into a sandboxed frame: its forms then go nowhere. No script comes with it, so that all pairs show at once.
    """
    with translation.override(campaign.language):
        pairs = sample_pairs(campaign) if page == "pairs" else []
        context: dict[str, Any] = texts_of(campaign, pairs=len(pairs) or None) | {
            "token": TOKEN,
            "trial": False,
            "pairs": pairs,
            "answered": 0,
            "begun": False,
            "kinds": REPORT_KINDS,
            "scripts": [],
            "time": in_words(campaign.assignment_seconds, translation),
        }
        shown = render(request, PAGES[page], context)
    shown["X-Frame-Options"] = "SAMEORIGIN"
    policy = {"frame-ancestors": ["'self'"], "form-action": ["'none'"]}
    with_policy: Callable[..., Any] = csp_replace(policy)(lambda _request: shown)
    framed: HttpResponse = with_policy(request)
    return framed
