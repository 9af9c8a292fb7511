"""Navigation: the tabs of a collection or campaign, and the parts of the site."""

from collections.abc import Iterable
from typing import Any

from django import template
from django.conf import settings
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse

from accounts.roles import permits
from accounts.services.user_lookup import mail_address_of
from judging.models import Campaign
from pooling.collections import spending_grants
from pooling.collections.members import role_of, sees_results
from pooling.models import Collection
from web.common import end_notices
from web.common.job_progress import Work
from web.common.kept_forms import kept_form_of
from web.common.visibility import sees_everything

register = template.Library()
#: Key → the tab's words and the route that it opens. Only members see the tabs in ``MEMBERS``.
TABS = {
    "overview": ("Overview", "web:collection"),
    "queries": ("Queries", "web:queries"),
    "runs": ("Runs", "web:runs"),
    "pools": ("Pools", "web:pools"),
    "campaigns": ("Campaigns", "web:collection_campaigns"),
    "leaderboard": ("Leaderboard", "web:leaderboard"),
    "analyses": ("Analyses", "web:analyses"),
    "settings": ("Settings", "web:collection_settings"),
}
MEMBERS = ("pools", "settings")
#: The tabs of somebody who sees no results, such as an assessor of a private collection.
WITHOUT_RESULTS = ("overview", "campaigns")
#: The tabs of a launched campaign, with the permissions that they require.
CAMPAIGN_TABS = {
    "overview": ("Overview", "web:campaign", ""),
    "workers": ("Workers", "web:campaign_workers", "see everything"),
    "reports": ("Reports and appeals", "web:campaign_reports", "see everything"),
    "gold": ("Gold pairs", "web:campaign_gold", "see everything"),
    "judgments": ("Judgments", "web:campaign_judgments", "see everything"),
    "payments": ("Payments", "web:campaign_payments", "spend money"),
    "activity": ("Activity", "web:campaign_activity", "see everything"),
}
#: The parts of the site that the header links to.
PARTS = {
    "leaderboards": ("Leaderboards", "web:leaderboards"),
    "campaigns": ("Campaigns", "web:campaigns"),
    "collections": ("Collections", "web:collections"),
    "help": ("Documentation", "web:help"),
}


@register.inclusion_tag("web/parts/mail_when_done.html", takes_context=True)
def mail_when_done(context: dict[str, Any], work: Work) -> dict[str, Any]:
    """Offer to send an e-mail when the work ends, if e-mail is set up and the person has an address."""
    request = context.get("request")
    user = getattr(request, "user", None)
    if request is None or work.job is None or not settings.MAIL or not user or not user.is_authenticated:
        return {}
    if not (address := mail_address_of(user)):
        return {}
    return {
        "about": end_notices.request_for(work.job, request.get_full_path()),
        "asked": end_notices.asked_by(user, work.job),
        "address": address,
        "csrf_token": context.get("csrf_token"),
    }


@register.simple_block_tag(takes_context=True)
def collection_trail(
    context: dict[str, Any], content: str, collection: Collection, tab: str, tabs: bool = True
) -> str:
    """Render the trail home / collection / tab / page, and the tabs.

    The block contains the page's name; it is empty on the page of a tab. The overview has no step of its own, because
    the collection's step leads to it.
    """
    shown = _collection_tabs(context, collection)
    steps = _steps(collection.name, shown, tab, is_tab=not content.strip())
    return _trail(collection.name, steps, content, shown if tabs else {}, tab)


@register.simple_block_tag(takes_context=True)
def campaign_trail(context: dict[str, Any], content: str, campaign: Campaign, tab: str) -> str:
    """Render the breadcrumbs of a campaign's page, below the collection's Campaigns tab. ``tab`` may be empty."""
    collection = campaign.collection
    above = _steps(
        collection.name, _tabs_of(collection, ("overview", "campaigns")), "campaigns", is_tab=False
    )
    shown = _campaign_tabs(context, campaign)
    steps = _steps(campaign.name, shown, tab, is_tab=not content.strip())
    offered = shown if tab and len(shown) > 1 and campaign.pool_id else {}
    return _trail(campaign.name, above + steps, content, offered, tab)


def _collection_tabs(context: dict[str, Any], collection: Collection) -> dict[str, tuple[str, str]]:
    """Return key → words and address of the tabs that the person sees."""
    user = getattr(context.get("request"), "user", None)
    if sees_everything(user, collection):
        return _tabs_of(collection, TABS)
    if not sees_results(user, collection):
        return _tabs_of(collection, WITHOUT_RESULTS)
    return _tabs_of(collection, [key for key in TABS if key not in MEMBERS])


def _tabs_of(collection: Collection, keys: Iterable[str]) -> dict[str, tuple[str, str]]:
    return {key: (TABS[key][0], reverse(TABS[key][1], args=[collection.name])) for key in keys}


def _campaign_tabs(context: dict[str, Any], campaign: Campaign) -> dict[str, tuple[str, str]]:
    role = role_of(getattr(context.get("request"), "user", None), campaign.collection)
    return {
        key: (
            f"{campaign.gold_words.capitalize()}s" if key == "gold" else words,
            reverse(route, args=[campaign.name]),
        )
        for key, (words, route, needed) in CAMPAIGN_TABS.items()
        if not needed or permits(role, needed)
    }


def _steps(name: str, shown: dict[str, tuple[str, str]], tab: str, *, is_tab: bool) -> list[dict[str, str]]:
    """Return the steps of a trail to a tab. With ``is_tab``, the last step is the page itself, so it has no link."""
    found = [{"words": name, "address": shown["overview"][1]}]
    if tab in shown and tab != "overview":
        words, address = shown[tab]
        found.append({"words": words.lower(), "address": address})
    if is_tab:
        found[-1]["address"] = ""
    return found


def _trail(
    label: str, steps: list[dict[str, str]], page: str, shown: dict[str, tuple[str, str]], current: str
) -> str:
    tabs = [
        {"words": words, "address": address, "current": key == current}
        for key, (words, address) in shown.items()
    ]
    return render_to_string(
        "web/parts/trail.html", {"steps": steps, "page": page, "label": label, "tabs": tabs}
    )


@register.inclusion_tag("web/parts/kept_form.html", takes_context=True)
def kept_form(context: dict[str, Any]) -> dict[str, Any]:
    """Show the form that was sent after the session ended, and fill it in again."""
    request = context.get("request")
    return {"kept": kept_form_of(request) if request is not None and hasattr(request, "user") else None}


@register.simple_tag
def sees_spending(user: Any) -> bool:
    """Return whether the header links to the page of grants."""
    return spending_grants.concern(user)


@register.simple_tag
def site_parts(request: HttpRequest | None) -> list[dict[str, Any]]:
    """Return the links of the header. ``current`` marks the part of the site that the page belongs to."""
    path = request.path if request else ""
    parts = [(words, reverse(route)) for words, route in PARTS.values()]
    return [{"words": words, "address": to, "current": path.startswith(to)} for words, to in parts]
