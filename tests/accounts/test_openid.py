"""Signing in through an OpenID Connect provider that answers on this machine."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.environment import openid_apps
from pooling.collections import members
from pooling.models import Membership
from tests.factories import make_collection

pytestmark = pytest.mark.django_db


class Provider(BaseHTTPRequestHandler):
    """The three responses that a sign-in needs; every visitor is Ada."""

    def do_GET(self):
        root = f"http://{self.headers['Host']}"
        self.answer(
            {"sub": "ada-at-the-provider", "email": "ada@example.org", "preferred_username": "ada"}
            if self.path == "/userinfo"
            else {
                "issuer": root,
                "authorization_endpoint": f"{root}/authorize",
                "token_endpoint": f"{root}/token",
                "userinfo_endpoint": f"{root}/userinfo",
                "jwks_uri": f"{root}/jwks",
            }
        )

    def do_POST(self):
        sent = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        assert sent["code_verifier"], "PKCE is used"
        self.answer({"access_token": "good", "token_type": "Bearer", "expires_in": 60})

    def answer(self, content):
        body = json.dumps(content).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


@pytest.fixture
def provider(settings, monkeypatch):
    """A running provider, and our settings for it."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("PREFEREE_OIDC_CLIENT", "us")
    monkeypatch.setenv("PREFEREE_OIDC_SECRET", "between us")
    apps = openid_apps(f"http://127.0.0.1:{server.server_port}")
    settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"APPS": apps, "OAUTH_PKCE_ENABLED": True}}
    yield server
    server.shutdown()
    server.server_close()


def go_through(client, next_page="/"):
    """Sign in through the provider."""
    left = client.post(f"/accounts/oidc/oidc/login/?next={next_page}")
    assert urlsplit(left["Location"]).path == "/authorize"
    state = parse_qs(urlsplit(left["Location"]).query)["state"][0]
    return client.get("/accounts/oidc/oidc/login/callback/", {"code": "x", "state": state}, follow=True)


def signed_in(client):
    return "_auth_user_id" in client.session


def test_the_sign_in_page_offers_a_configured_provider(client, provider):
    assert "Sign in with OpenID Connect" in client.get("/accounts/login/").content.decode()


def test_it_is_off_by_default(client):
    assert "OpenID" not in client.get("/accounts/login/").content.decode()


def test_a_stranger_gets_no_account(client, provider, django_user_model):
    page = go_through(client)

    assert "by invitation" in page.content.decode()
    assert not signed_in(client)
    assert not django_user_model.objects.exists()


def test_a_setting_admits_everybody_with_a_provider_account(client, provider, settings, django_user_model):
    settings.OIDC_SIGNUP = True

    go_through(client)

    assert signed_in(client)
    assert django_user_model.objects.get().email == "ada@example.org"
    client.logout()
    settings.OIDC_SIGNUP = False
    go_through(client)
    assert signed_in(client), "who has an account needs no sign-up"


def test_a_matching_address_alone_does_not_open_an_existing_account(client, provider, django_user_model):
    django_user_model.objects.create_user("other", "ada@example.org", "a long password")

    go_through(client)

    assert not signed_in(client)


def test_an_invited_person_gets_an_account_and_joins_once(client, provider, django_user_model):
    collection = make_collection("harbour", ["q1"])
    invited = members.invite_member(
        collection=collection, email="ada@example.org", role=members.Role.VIEWER, invited_by=None
    )
    path = "/accounts/" + invited.link.partition("/accounts/")[2]
    assert "Continue with OpenID Connect" in client.get(path).content.decode()

    page = go_through(client, path)
    assert "Join as ada" in page.content.decode()
    client.post(path)

    assert Membership.objects.get().user.username == "ada"
    client.logout()
    assert client.get(path).status_code == 404


def test_an_incomplete_configuration_stops_start_up(monkeypatch):
    monkeypatch.delenv("PREFEREE_OIDC_CLIENT", raising=False)

    with pytest.raises(ImproperlyConfigured, match="PREFEREE_OIDC_CLIENT"):
        openid_apps("https://id.example.org")
