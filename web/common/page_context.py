"""Template variables of every page."""

from __future__ import annotations

from django.http import HttpRequest

THEME_COOKIE = "theme"
#: Theme → when the dark colours count: always, never, or when the reader's system says so.
THEMES = {"dark": "screen", "light": "not all", "": "screen and (prefers-color-scheme: dark)"}


def theme(request: HttpRequest) -> dict[str, str]:
    """Return the colours that the reader chose, and the media query of the dark ones."""
    chosen = request.COOKIES.get(THEME_COOKIE, "")
    chosen = chosen if chosen in THEMES else ""
    return {"theme": chosen, "dark_media": THEMES[chosen]}
