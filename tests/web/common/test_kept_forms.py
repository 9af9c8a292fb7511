"""A form that is sent after the session ended: the entries are stored and filled in again after signing in."""

import uuid

import pytest
from django.contrib.auth import get_user_model
from django.contrib.sessions.models import Session
from django.test import Client
from playwright.sync_api import expect

from config.rate_limits import Limit
from pooling.models import Collection, Membership
from tests.factories import make_collection
from web.common import kept_forms

PAGE = "/collections/mine/about/"
TYPED = {"csrfmiddlewaretoken": "x", "title": "A <b>title</b>", "description": "two\nlines", "language": "en"}


@pytest.fixture(autouse=True)
def counted_anew(monkeypatch):
    """Reset the counts, because other tests use the same Redis."""
    limit = kept_forms.KEPT
    monkeypatch.setattr(kept_forms, "KEPT", Limit(uuid.uuid4().hex, limit.most, limit.seconds))


@pytest.fixture
def mine(transactional_db):
    collection = make_collection("mine", ["q1"])
    ada = get_user_model().objects.create_user("ada", password="a long password")
    Membership.objects.create(collection=collection, user=ada, role="owner")
    return collection


def sent_in_vain(**headers):
    """Return a browser that sent the form while signed out."""
    client = Client()
    reply = client.post(PAGE, TYPED | {"password": "hush", "api_token": "t"}, **headers)
    return client, reply


def sign_in(client):
    client.force_login(get_user_model().objects.get(username="ada"))


@pytest.mark.one_database
def test_form_entries_are_restored_once_and_nothing_is_sent_automatically(mine):
    client, reply = sent_in_vain()
    assert reply.status_code == 302
    assert reply["Location"] == f"/accounts/login/?next={PAGE.replace('/', '%2F')}"

    sign_in(client)
    page = client.get(PAGE).content.decode()

    assert "You were signed out, and nothing was sent." in page
    assert "A &lt;b&gt;title&lt;/b&gt;" in page
    assert "<b>title" not in page
    assert "hush" not in page
    assert "api_token" not in page
    assert Collection.objects.get().title == ""
    assert "You were signed out" not in client.get(PAGE).content.decode()


@pytest.mark.one_database
@pytest.mark.parametrize(
    ("referer", "page"),
    [
        ("http://testserver/collections/mine/settings/?x=1", "/collections/mine/settings/"),
        ("https://elsewhere.example/collections/mine/settings/", PAGE),
        ("", PAGE),
    ],
)
def test_it_leads_back_to_the_page_with_the_form_and_never_elsewhere(mine, referer, page):
    _, reply = sent_in_vain(headers={"Referer": referer})

    assert reply["Location"] == f"/accounts/login/?next={page.replace('/', '%2F')}"


@pytest.mark.one_database
def test_another_browser_and_a_signed_out_one_see_nothing_of_it(mine):
    client, _ = sent_in_vain()
    other = Client()
    sign_in(other)

    assert "You were signed out" not in other.get(PAGE).content.decode()
    assert "signed out" not in client.get("/").content.decode()


@pytest.mark.one_database
def test_large_or_frequent_forms_are_not_stored(mine, settings):
    huge = Client().post(PAGE, TYPED | {"description": "x" * 100_001})
    many = [Client().post(PAGE, TYPED, REMOTE_ADDR="192.0.2.7").status_code for _ in range(61)]

    assert huge.status_code == 404
    assert many[:60] == [302] * 60
    assert many[60] == 404
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    behind = {"REMOTE_ADDR": "192.0.2.7", "headers": {"X-Forwarded-For": "198.51.100.1"}}
    assert Client().post(PAGE, TYPED, **behind).status_code == 302
    assert not Session.objects.exists()


@pytest.mark.one_database
def test_a_call_without_the_token_of_a_page_is_refused_as_before(mine):
    assert Client().post(PAGE, {"title": "x"}).status_code == 404


@pytest.mark.browser
@pytest.mark.one_database
def test_a_form_is_filled_in_again_in_the_browser(mine, page, live_server):
    client = Client()
    sign_in(client)
    session = client.cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    page.goto(f"{live_server.url}{PAGE}")
    page.get_by_label("Title").fill("The harbour's questions")
    Session.objects.all().delete()
    page.get_by_role("button", name="Save").click()

    page.get_by_label("Name or e-mail address").fill("ada")
    page.get_by_label("Password").fill("a long password")
    page.get_by_role("button", name="Sign in").click()

    expect(page.get_by_text("You were signed out, and nothing was sent.")).to_be_visible()
    expect(page.get_by_label("Title")).to_have_value("The harbour's questions")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("You were signed out")).to_have_count(0)
    assert Collection.objects.get().title == "The harbour's questions"
