"""Pages of a live campaign's gold pairs: their results, and how to suspend a bad pair."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from config.errors import Refusal
from config.plurals import many
from judging.jobs import continue_if_launched
from judging.models import GoldPair
from judging.people.gold_suspension import suspend_gold_pair as suspend_gold
from pooling.collections.members import may
from web.campaigns import gold_pages
from web.common.access import campaign_for
from web.common.sent_text import sent_text

LONGEST_WHY = 500


@require_safe
def campaign_gold_pairs(request: HttpRequest, name: str) -> HttpResponse:
    """List gold pairs with their texts and results."""
    found = campaign_for(request.user, name, "see everything")
    context = gold_pages.campaign_gold_page(found, request.GET)
    may_judge = may(request.user, "judge workers", found.collection)
    return render(request, "web/campaigns/campaign_gold.html", context | {"may_judge": may_judge})


@require_http_methods(["GET", "HEAD", "POST"])
def suspend(request: HttpRequest, name: str, key: int) -> HttpResponse:
    """Show the exclusions that depend on a gold pair; a POST with a reason suspends the pair."""
    found = campaign_for(request.user, name, "judge workers")
    rows = GoldPair.objects.select_related("query", "relevant", "off_topic")
    gold = get_object_or_404(rows, campaign=found, pk=key)
    why = sent_text(request, "why", LONGEST_WHY)
    wrong = ""
    if request.method == "POST":
        try:
            done = suspend_gold(found, gold, why=why, who=request.user.get_username())
        except Refusal as refusal:
            wrong = str(refusal)
        else:
            continue_if_launched(found)
            back = many(done.reinstated, "worker is", "workers are")
            messages.success(
                request, f"{found.gold_words.capitalize()} {gold.pk} is suspended; {back} reinstated."
            )
            return redirect("web:campaign_gold", found.name)
    context = gold_pages.suspension_page(found, gold) | {"why": why, "wrong": wrong}
    return render(request, "web/campaigns/suspend_gold.html", context, status=400 if wrong else 200)
