"""A campaign, and its progress for pages that stay open."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from judging.models import Campaign
from web.services.campaigns import campaign_page, progress_of
from web.services.visibility import sees_everything


@require_safe
def campaign(request: HttpRequest, name: str) -> HttpResponse:
    """Where a campaign stands. Exclusions one by one, problems and activity are for people who are signed in."""
    found = get_object_or_404(Campaign.objects.select_related("collection", "pool"), name=name)
    context = campaign_page(found) | {"sees_everything": sees_everything(request.user)}
    return render(request, "web/campaign.html", context)


@require_safe
@never_cache
def progress(request: HttpRequest, name: str) -> HttpResponse:
    """The moving part of a campaign's line or page, for the script that refreshes it."""
    found = get_object_or_404(Campaign.objects.select_related("collection", "pool"), name=name)
    return render(request, "web/parts/progress.html", {"progress": progress_of([found])[0]})
