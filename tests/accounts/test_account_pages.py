"""One's own account: password, e-mail addresses and second factor, in a browser under axe-core."""

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.test import Client
from playwright.sync_api import Page, expect

from tests.accessibility import Inspector
from tests.chromium import follow

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]
OLD, NEW = "a horse reads passages", "a mule reads them twice"


@pytest.fixture
def ada(page: Page, live_server):
    """A person who signed in with a password a moment ago."""
    user = get_user_model().objects.create_user("ada", "ada@example.org", OLD)
    EmailAddress.objects.create(user=user, email="ada@example.org", primary=True)
    page.goto(f"{live_server.url}/accounts/login/")
    page.get_by_label("Name or e-mail address").fill("ada")
    page.get_by_label("Password", exact=True).fill(OLD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    return user


def test_the_pages_of_an_account_can_be_read_and_used(ada, page: Page, live_server):
    inspector, accounts = Inspector(), f"{live_server.url}/accounts"

    page.goto(f"{accounts}/password/change/")
    inspector.look(page, "password")
    page.get_by_label("Current password").fill(OLD)
    page.get_by_label("New password", exact=True).fill(NEW)
    page.get_by_label("New password (again)").fill(NEW)
    page.get_by_role("button", name="Change the password").click()
    expect(page.get_by_role("status")).to_be_visible()
    ada.refresh_from_db()
    assert ada.check_password(NEW)

    page.goto(f"{accounts}/email/")
    page.get_by_label("E-mail address").fill("ada@lab.example")
    page.get_by_role("button", name="Add the address").click()
    page.get_by_label("Password").fill(NEW)
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("radio")).to_have_count(2)
    inspector.look(page, "e-mail addresses")
    page.get_by_label("ada@lab.example").check()
    page.get_by_role("button", name="Make primary").click()
    expect(page.get_by_role("status")).to_be_visible()

    page.goto(f"{accounts}/2fa/")
    inspector.look(page, "second factor")
    follow(page.get_by_role("link", name="Set up an app"))
    inspector.look(page, "setting up an app")
    assert not inspector.faults, "\n".join(inspector.faults)


def test_a_password_is_asked_for_again_in_our_words(db):
    client = Client()
    client.force_login(get_user_model().objects.create_user("ada", password=OLD))

    answer = client.get("/accounts/2fa/totp/activate/", follow=True).content.decode()

    assert "Enter your password again before you change how you sign in." in answer
    assert "placeholder" not in answer
