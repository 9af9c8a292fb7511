"""Code that all preparation steps of a campaign share."""

from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache

from config.guidance import stored
from judging.campaign.campaign_settings import check_changeable, check_for_people
from judging.campaign.shared_figures import figures_read_once
from judging.errors import CampaignRefused
from judging.models import Campaign
from web.common.access import campaign_for
from web.preparation.preparation_steps import preparation_steps, step_after, step_titles


def step_view(
    action: str = "prepare campaign", *, while_piloting: bool = False, launches: bool = False
) -> Callable[[Callable[..., HttpResponse]], Callable[..., HttpResponse]]:
    """Decorate a step's view: check the permission, and redirect launched campaigns to their own page.

    If the view ``launches``, a POST after the launch reaches it, so that the service answers a second launch.
    In a request that changes nothing, counts and forecasts that several parts of the page need are computed once.
    """

    def decorate(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
        @wraps(view)
        @never_cache
        def guarded(request: HttpRequest, name: str, **rest: Any) -> HttpResponse:
            campaign = campaign_for(request.user, name, action)
            again = launches and request.method == "POST" and campaign.is_launched
            if not (while_piloting and campaign.state == Campaign.State.PILOTING):
                try:
                    (check_for_people if again else check_changeable)(campaign)
                except CampaignRefused as refusal:
                    messages.info(request, stored(str(refusal)))
                    return redirect("web:campaign", campaign.name)
            # Other requests change the campaign, so their counts and forecasts must be computed again.
            with figures_read_once() if request.method in ("GET", "HEAD") else nullcontext():
                return view(request, campaign, **rest)

        return guarded

    return decorate


def show_step(
    request: HttpRequest, campaign: Campaign, step: str, context: dict[str, Any], *, wrong: bool = False
) -> HttpResponse:
    """Render the page of a step, with the list of all steps."""
    steps = preparation_steps(campaign, step)
    shown = {
        "campaign": campaign,
        "steps": steps,
        "lacking": [one for one in steps if one.state == "needed" and one.name != "pilot"],
        "step": step,
        "next_step": (after := step_after(campaign, step)),
        "next_title": step_titles(campaign)[after],
    }
    status = 422 if wrong else 200
    return render(request, f"web/preparation/prepare_{step}.html", shown | context, status=status)


def who(request: HttpRequest) -> str:
    return request.user.get_username()
