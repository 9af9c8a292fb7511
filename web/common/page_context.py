from django.http import HttpRequest

THEME_COOKIE = "theme"
#: Theme → when dark colors apply: always, never, or if the reader's system prefers them.
THEMES = {"dark": "screen", "light": "not all", "": "screen and (prefers-color-scheme: dark)"}


def theme(request: HttpRequest) -> dict[str, str]:
    """Return the chosen color theme and the media query for dark colors."""
    chosen = request.COOKIES.get(THEME_COOKIE, "")
    chosen = chosen if chosen in THEMES else ""
    return {"theme": chosen, "dark_media": THEMES[chosen]}
