"""A campaign: its page, the part of it that moves, its log, and the steps of its life."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST, require_safe

from accounts.models import User
from accounts.roles import Role, permits
from config.errors import Refusal
from config.plurals import many
from judging.models import Campaign
from judging.services import budget, calls, campaigns, closing, putting_away
from judging.services.foreseeing import foresee_standstill
from judging.services.preparing import is_prepared
from pooling.services import members
from web import jobs
from web.access import campaign_for, require
from web.services import campaign_watch, simulating
from web.services.campaigns import progress_of

LONGEST_WHY = 2000


@dataclass(frozen=True)
class Step:
    """A step in a campaign's life: the service, what is rung for after it, from which states, what is typed."""

    act: Callable[..., None]
    ring: Callable[[Campaign], None]
    allowed: tuple[str, ...]
    typed: bool = False


STEPS = {
    "pause": Step(campaigns.pause, jobs.after_offering_less, Campaign.OFFERING),
    "resume": Step(campaigns.resume, jobs.after_offering_more, (Campaign.State.PAUSED,)),
    "close": Step(
        closing.close,
        jobs.after_offering_less,
        tuple(state for state in Campaign.State if state not in Campaign.OVER),
        typed=True,
    ),
}


@require_safe
def campaign(request: HttpRequest, name: str) -> HttpResponse:
    """Where a campaign stands. Exclusions one by one, problems and activity are for members."""
    return render(request, "web/campaign.html", _page(request, name))


@require_GET
@never_cache
def live(request: HttpRequest, name: str) -> HttpResponse:
    """The parts of the page that move, for the script that puts them in the place of the old ones."""
    return render(request, "web/parts/campaign_live.html", _page(request, name))


def _page(request: HttpRequest, name: str) -> dict[str, Any]:
    found = campaign_for(request.user, name)
    role = members.role_of(request.user, found.collection)
    page = campaign_watch.campaign_page(
        found, everything=permits(role, "see everything"), publishes=permits(role, "publish version")
    )
    return page | {
        "steps": _steps(role, found),
        "may_prepare": permits(role, "prepare campaign") and is_prepared(found),
        "may_simulate": permits(role, "launch campaign") and not simulating.why_not(found),
        "may_pay": permits(role, "spend money") and found.pool_id is not None,
        "may_steer": permits(role, "steer campaign"),
    }


def _steps(role: Role | None, found: Campaign) -> list[str]:
    """What a person in this role can do to the campaign now."""
    if found.pool_id is None or not permits(role, "steer campaign"):
        return []
    return [name for name, step in STEPS.items() if found.state in step.allowed]


@require_safe
@never_cache
def progress(request: HttpRequest, name: str) -> HttpResponse:
    """The moving part of a campaign's line in a list, for the script that refreshes it."""
    found = campaign_for(request.user, name)
    return render(request, "web/parts/progress.html", {"progress": progress_of([found], request.user)[0]})


@require_safe
def activity(request: HttpRequest, name: str) -> HttpResponse:
    """Who did what and why."""
    found = campaign_for(request.user, name)
    require(request.user, "see everything", found.collection)
    return render(request, "web/campaign_activity.html", campaign_watch.activity_page(found, request.GET))


@require_http_methods(["GET", "HEAD", "POST"])
def step(request: HttpRequest, name: str, step: str) -> HttpResponse:
    """Pause, resume or close: what it means for people and money, then the button; closing takes the name, typed."""
    found = campaign_for(request.user, name)
    require(request.user, "steer campaign", found.collection)
    one = STEPS.get(step)
    if one is None or found.pool_id is None:
        raise Http404("There is no such step.")
    why = request.POST.get("why", "").replace("\0", "").strip()[:LONGEST_WHY]
    wrong = ""
    if request.method == "POST":
        if one.typed and request.POST.get("sure", "").strip() != found.name:
            wrong = f"Type {found.name} to close it."
        else:
            return _take(request, found, one, why)
    context = {
        "campaign": found,
        "step": step,
        "typed": one.typed,
        "possible": found.state in one.allowed,
        "foreseen": foresee_standstill(found),
        "why": why,
        "wrong": wrong,
    }
    return render(request, "web/campaign_step.html", context, status=400 if wrong else 200)


def _take(request: HttpRequest, found: Campaign, one: Step, why: str) -> HttpResponse:
    launched = found.launched_at is not None
    try:
        one.act(found, why=why, who=request.user.get_username())
    except Refusal as refusal:
        messages.error(request, str(refusal))
        return redirect("web:campaign", found.name)
    if launched:
        one.ring(found)
    messages.success(request, f"{found.name} is {found.label} now.")
    return redirect("web:campaign", found.name)


@require_http_methods(["GET", "HEAD", "POST"])
def change_budget(request: HttpRequest, name: str) -> HttpResponse:
    """Let the campaign commit more (or less): typed, then looked at, then confirmed with the amount on the button."""
    found = campaign_for(request.user, name)
    require(request.user, "spend money", found.collection)
    by: User = request.user  # type: ignore[assignment]
    typed = request.POST.get("amount", "").strip()
    why = request.POST.get("why", "").replace("\0", "").strip()[:LONGEST_WHY]
    amount, wrong = _amount(typed)
    if request.method == "POST" and not wrong:
        try:
            if "confirm" in request.POST:
                budget.raise_budget(found, amount, why=why, by=by)
            else:
                budget.refuse_budget(found, amount, by=by)
        except Refusal as refusal:
            wrong = str(refusal)
    if request.method == "POST" and not wrong and "confirm" in request.POST:
        if found.state in Campaign.OFFERING:
            jobs.after_offering_more(found)
        messages.success(request, f"{found.name} may spend up to ${amount:,.2f} now.")
        return redirect("web:campaign", found.name)
    context = {
        "campaign": found,
        "foreseen": foresee_standstill(found),
        "typed": typed,
        "why": why,
        "amount": amount if request.method == "POST" and not wrong else None,
        "wrong": wrong if request.method == "POST" else "",
    }
    return render(request, "web/campaign_budget.html", context, status=400 if context["wrong"] else 200)


def _amount(typed: str) -> tuple[Decimal, str]:
    """Dollars with at most two decimals, and what is wrong with what was typed."""
    try:
        amount = Decimal(typed.removeprefix("$").replace(",", "").replace("\u2009", ""))
    except InvalidOperation:
        return Decimal(0), "Type an amount in dollars, such as 600.00."
    if not amount.is_finite() or amount <= 0 or amount > campaigns.MOST_BUDGET or amount != round(amount, 2):
        return Decimal(0), "Type an amount of more than $0.00 with at most two decimals."
    return amount, ""


@require_POST
def ask_again(request: HttpRequest, name: str) -> HttpResponse:
    """Look at the crowd now, and have calls that it refused for good made once more."""
    found = campaign_for(request.user, name)
    require(request.user, "steer campaign", found.collection)
    count = calls.ask_again(found)
    if count:
        campaigns.log(found, f"asked again: {many(count, 'call')}", who=request.user.get_username())
    if found.launched_at is not None:
        jobs.after_offering_more(found)
    refused = f"{many(count, 'refused call is', 'refused calls are')} made once more."
    messages.success(request, refused if count else "The crowd is asked again; this takes a few moments.")
    return redirect("web:campaign", found.name)


@require_POST
def failed(request: HttpRequest, name: str, key: int, what: str) -> HttpResponse:
    """Work in the background failed: put it away, or have it tried again where that is safe."""
    found = campaign_for(request.user, name)
    require(request.user, "steer campaign", found.collection)
    if what not in ("away", "again"):
        raise Http404("There is no such step.")
    who = request.user.get_username()
    try:
        if what == "away":
            putting_away.put_away(found, key, who=who)
            jobs.after_putting_away()
            said = "It is put away. Should it fail again, it stands here again."
        else:
            jobs.try_again(putting_away.job_to_repeat(found, key, who=who))
            said = "It is tried again; this takes a few moments."
    except Refusal as refusal:
        messages.error(request, str(refusal))
    else:
        campaign_watch.look_again(found)
        messages.success(request, said)
    return redirect("web:campaign", found.name)
