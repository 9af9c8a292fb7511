"""The test pairs of a campaign while people judge it: how they fare, and one that turns out a bad one."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from config.errors import Refusal
from config.plurals import many
from judging.models import GoldPair
from judging.services.suspending import suspend as suspend_gold
from pooling.services.members import may
from web import jobs
from web.access import campaign_for, require
from web.services import gold_pages

LONGEST_WHY = 500


@require_safe
def listed(request: HttpRequest, name: str) -> HttpResponse:
    """Every test pair with its texts and how people fared on it."""
    found = campaign_for(request.user, name)
    require(request.user, "see everything", found.collection)
    context = gold_pages.gold_page(found, request.GET)
    may_judge = may(request.user, "judge workers", found.collection)
    return render(request, "web/campaign_gold.html", context | {"may_judge": may_judge})


@require_http_methods(["GET", "HEAD", "POST"])
def suspend(request: HttpRequest, name: str, key: int) -> HttpResponse:
    """Let a test pair say nothing any more: what rests on it, then the button; a reason is asked for."""
    found = campaign_for(request.user, name)
    require(request.user, "judge workers", found.collection)
    rows = GoldPair.objects.select_related("query", "relevant", "off_topic")
    gold = get_object_or_404(rows, campaign=found, pk=key)
    why = request.POST.get("why", "").replace("\0", "").strip()[:LONGEST_WHY]
    wrong = ""
    if request.method == "POST":
        try:
            done = suspend_gold(found, gold, why=why, who=request.user.get_username())
        except Refusal as refusal:
            wrong = str(refusal)
        else:
            if found.launched_at is not None:
                jobs.after_offering_more(found)
            back = many(done.reinstated, "worker is", "workers are")
            messages.success(request, f"Test pair {gold.pk} is suspended; {back} reinstated.")
            return redirect("web:campaign_gold", found.name)
    context = gold_pages.suspension_page(found, gold) | {"why": why, "wrong": wrong}
    return render(request, "web/suspend_gold.html", context, status=400 if wrong else 200)
