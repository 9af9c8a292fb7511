"""Where a page stands: the tabs of a collection, and which part of the site is open."""

from __future__ import annotations

from typing import Any

from django import template
from django.http import HttpRequest
from django.urls import reverse

from pooling.models import Collection
from web.common.visibility import sees_everything

register = template.Library()
#: Key → the tab's words and the route that it opens. Members alone see those of the second list.
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
#: The parts of the site in its header.
PARTS = {
    "leaderboards": ("Leaderboards", "web:leaderboards"),
    "campaigns": ("Campaigns", "web:campaigns"),
    "collections": ("Collections", "web:collections"),
    "help": ("Documentation", "web:help"),
}


@register.inclusion_tag("web/parts/tabs.html", takes_context=True)
def collection_tabs(context: dict[str, Any], collection: Collection, current: str) -> dict[str, Any]:
    """Show the tabs of a collection, with ``current`` marked."""
    user = getattr(context.get("request"), "user", None)
    member = sees_everything(user, collection)
    return {
        "collection": collection,
        "tabs": [
            {"words": words, "address": reverse(route, args=[collection.name]), "current": key == current}
            for key, (words, route) in TABS.items()
            if member or key not in MEMBERS
        ],
    }


@register.simple_tag
def site_parts(request: HttpRequest | None) -> list[dict[str, Any]]:
    """Return the links of the header; ``current`` for the part that the page belongs to."""
    path = request.path if request else ""
    parts = [(words, reverse(route)) for words, route in PARTS.values()]
    return [{"words": words, "address": to, "current": path.startswith(to)} for words, to in parts]
