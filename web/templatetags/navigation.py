"""Navigation: the tabs of a collection or campaign, and the parts of the site."""

from typing import Any

from django import template
from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse

from accounts.roles import permits
from accounts.services.user_lookup import mail_address_of
from judging.models import Campaign
from pooling.models import Collection
from pooling.services.members import role_of
from web.common import end_notices
from web.common.job_progress import Work
from web.common.kept_forms import kept_form_of
from web.common.visibility import sees_everything

register = template.Library()
#: Key → the tab's words and the route that it opens. Only members see those of the second list.
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
#: The same for a launched campaign, with the permission that a tab requires.
CAMPAIGN_TABS = {
    "overview": ("Overview", "web:campaign", ""),
    "workers": ("Workers", "web:campaign_workers", "see everything"),
    "reports": ("Reports and appeals", "web:campaign_reports", "see everything"),
    "gold": ("Gold pairs", "web:campaign_gold", "see everything"),
    "judgments": ("Judgments", "web:campaign_judgments", "see everything"),
    "payments": ("Payments", "web:campaign_payments", "spend money"),
    "activity": ("Activity", "web:campaign_activity", "see everything"),
}
#: A campaign page's name in the breadcrumbs → its tab, if the two differ.
TAB_OF = {
    "worker": "workers",
    "message": "workers",
    "reports and appeals": "reports",
    "appeal": "reports",
    "gold pairs": "gold",
    "budget": "payments",
}
#: The parts of the site in its header.
PARTS = {
    "leaderboards": ("Leaderboards", "web:leaderboards"),
    "campaigns": ("Campaigns", "web:campaigns"),
    "collections": ("Collections", "web:collections"),
    "help": ("Documentation", "web:help"),
}


@register.inclusion_tag("web/parts/mail_when_done.html", takes_context=True)
def mail_when_done(context: dict[str, Any], work: Work) -> dict[str, Any]:
    """Offer an e-mail when the work ends, if e-mail is set up and the person has an address."""
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


@register.inclusion_tag("web/parts/tabs.html", takes_context=True)
def collection_tabs(context: dict[str, Any], collection: Collection, current: str) -> dict[str, Any]:
    """Show the tabs of a collection, with ``current`` marked."""
    user = getattr(context.get("request"), "user", None)
    member = sees_everything(user, collection)
    return {
        "label": collection.name,
        "tabs": [
            {"words": words, "address": reverse(route, args=[collection.name]), "current": key == current}
            for key, (words, route) in TABS.items()
            if member or key not in MEMBERS
        ],
    }


@register.inclusion_tag("web/parts/tabs.html", takes_context=True)
def campaign_tabs(context: dict[str, Any], campaign: Campaign, here: str) -> dict[str, Any]:
    """Show the tabs of a campaign that asks people, with the tab of the page ``here`` marked."""
    role = role_of(getattr(context.get("request"), "user", None), campaign.collection)
    current = TAB_OF.get(here, here)
    tabs = [
        {"words": words, "address": reverse(route, args=[campaign.name]), "current": key == current}
        for key, (words, route, needed) in CAMPAIGN_TABS.items()
        if not needed or permits(role, needed)
    ]
    return {"label": campaign.name, "tabs": tabs if len(tabs) > 1 and campaign.pool_id else []}


@register.inclusion_tag("web/parts/kept_form.html", takes_context=True)
def kept_form(context: dict[str, Any]) -> dict[str, Any]:
    """Show the form that was sent after the session ended, and fill it in again."""
    request = context.get("request")
    return {"kept": kept_form_of(request) if request is not None and hasattr(request, "user") else None}


@register.simple_tag
def site_parts(request: HttpRequest | None) -> list[dict[str, Any]]:
    """Return the links of the header; ``current`` for the part that the page belongs to."""
    path = request.path if request else ""
    parts = [(words, reverse(route)) for words, route in PARTS.values()]
    return [{"words": words, "address": to, "current": path.startswith(to)} for words, to in parts]
