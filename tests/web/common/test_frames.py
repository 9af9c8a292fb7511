"""Only workers' pages can be framed: checks all addresses, including errors."""

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from judging.page.crowd_frame import PREFIX

pytestmark = pytest.mark.one_database

WORDS = {"slug": "harbour", "int": "1", "str": "x", "path": "1", "uuid": "x"}


def addresses() -> list[str]:
    """Return one address for every route except workers' pages, with arbitrary parameters."""
    found: list[str] = []

    def walk(patterns, prefix: str) -> None:
        for one in patterns:
            route = prefix + getattr(one.pattern, "_route", "x")
            if isinstance(one, URLResolver):
                walk(one.url_patterns, route)
            elif isinstance(one, URLPattern):
                for name, converter in one.pattern.converters.items():
                    kind = type(converter).__name__.removesuffix("Converter").lower()
                    kind = {"string": "str"}.get(kind, kind)
                    route = route.replace(f"<{kind}:{name}>", WORDS[kind]).replace(f"<{name}>", "x")
                found.append(f"/{route}")

    walk(get_resolver().url_patterns, "")
    return sorted({path for path in found if not path.startswith(PREFIX)})


def cannot_be_framed(response) -> None:
    policy = response["Content-Security-Policy"]
    assert response["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in policy
    assert "script-src 'self'" in policy
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Referrer-Policy"] == "same-origin"


def test_table_has_pages_of_the_web_and_the_admin():
    assert {"/", "/accounts/login/", "/campaigns/harbour/", "/admin/", "/admin/login/"} <= set(addresses())


@pytest.mark.parametrize("who", ["anybody", "admin"])
def test_only_workers_pages_can_be_framed(db, who):
    client = Client(raise_request_exception=False)
    if who == "admin":
        client.force_login(get_user_model().objects.create_superuser("ada", password="x"))

    for path in [*addresses(), "/nowhere/", "/judgement/", "/JUDGE/x/"]:
        for method in (client.get, client.post):
            cannot_be_framed(method(path))


def test_error_pages_cannot_be_framed_either(db, monkeypatch):
    monkeypatch.setattr("web.home.views.render", lambda *_: 1 / 0, raising=False)

    response = Client(raise_request_exception=False).get("/")

    assert response.status_code == 500
    cannot_be_framed(response)
