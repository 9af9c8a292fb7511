"""Spending grants: administrators manage them, and everybody sees their own."""

import ast
from decimal import Decimal

import pytest
from django.conf import settings
from django.contrib.auth import get_user_model

from accounts.services.tokens import make_token
from pooling.models import SpendingGrant
from tests.factories import grant_to
from tests.judging.test_commands import refused, run
from tests.web.preparing_cast import texts

pytestmark = pytest.mark.one_database
NEW = {"kind": "person", "name": "manager", "amount": "500", "last_day": "2999-12-31", "note": "pilot study"}


def test_a_grant_is_created_changed_and_revoked_with_who_did_it(cast):
    ada, manager = cast.clients["administrator"], cast.clients["manager"]
    assert "You have no spending grant" in texts(manager.get("/spending/"))

    assert ada.post("/spending/grants/", NEW)["Location"] == "/spending/"
    grant = SpendingGrant.objects.get()
    ada.post("/spending/grants/", NEW | {"kind": "collection", "name": "harbour", "amount": "80"})
    ada.post(f"/spending/grants/{grant.pk}/change", {"amount": "700.50", "last_day": "2999-12-31"})
    page = texts(manager.get("/spending/"))

    assert "you pilot study $700.50 $0.00 $700.50 2999-12-31" in page
    assert "collection harbour pilot study $80.00" in page
    assert "changed to $700.50 until 2999-12-31 by administrator" in page
    assert "This installation" not in page
    assert "$700.50" not in texts(cast.clients["owner"].get("/spending/"))
    assert "harbour" not in texts(cast.clients["viewer"].get("/spending/"))

    ada.post(f"/spending/grants/{grant.pk}/revoke")
    ada.post(f"/spending/grants/{grant.pk}/change", {"amount": "900", "last_day": "2999-12-31"})

    grant.refresh_from_db()
    assert grant.amount == Decimal("700.50")
    assert "$0.00 2999-12-31 revoked" in texts(manager.get("/spending/"))
    assert list(grant.changes.order_by("pk").values_list("what", "who")) == [
        ("granted $500.00 until 2999-12-31", "administrator"),
        ("changed to $700.50 until 2999-12-31", "administrator"),
        ("revoked", "administrator"),
    ]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"name": "nobody-of-this-name"}, "There is no account named"),
        ({"kind": "collection"}, "There is no collection"),
        ({"amount": "0"}, "Enter 0.01 or more."),
        ({"amount": "nan"}, "Enter a number"),
        ({"last_day": "2001-01-01"}, "The last day 2001-01-01 is in the past"),
        ({"last_day": "soon"}, "Enter a valid date"),
    ],
)
def test_an_invalid_grant_is_refused_with_a_reason(cast, wrong, said):
    reply = cast.clients["administrator"].post("/spending/grants/", NEW | wrong)

    assert (reply.status_code, said in texts(reply).replace("&#x27;", "'")) == (422, True)
    assert not SpendingGrant.objects.exists()


def test_nobody_but_administrators_grants_anything(cast):
    grant = grant_to(person=get_user_model().objects.get(username="owner"))

    for person in ("viewer", "manager", "maintainer", "owner", "stranger"):
        for address in ("", f"{grant.pk}/change", f"{grant.pk}/revoke"):
            assert cast.clients[person].post(f"/spending/grants/{address}", NEW).status_code == 403
    assert SpendingGrant.objects.get().revoked_at is None


def test_a_script_grants_and_reads_what_is_left(cast, client):
    ada = get_user_model().objects.get(username="administrator")
    token = make_token(user=ada, name="t", scopes=["read", "people"], days=1)[1]
    sent = {"headers": {"Authorization": f"Bearer {token}"}, "content_type": "application/json"}
    asked = {"to": "collection", "name": "harbour", "amount": 120.5, "last_day": "2999-12-31"}

    made = client.post("/api/v1/spending/grants", asked, **sent).json()
    changed = {"amount": 90, "last_day": "2999-12-31"}
    client.patch(f"/api/v1/spending/grants/{made['id']}", changed, **sent)
    seen = client.get("/api/v1/spending", **sent).json()

    assert (made["collection"], made["left"], made["created_by"]) == ("harbour", "120.50", "administrator")
    assert [(one["amount"], one["state"]) for one in seen["grants"]] == [("90.00", "current")]
    assert seen["installation"] == {"cap": "2500", "days": 30, "reserved": "0.00", "left": "2500.00"}
    client.post(f"/api/v1/spending/grants/{made['id']}/revoke", **sent)
    assert client.patch(f"/api/v1/spending/grants/{made['id']}", changed, **sent).status_code == 200
    reply = client.patch(f"/api/v1/spending/grants/{made['id']}", changed | {"amount": 91}, **sent)
    assert reply.status_code == 409


def test_every_service_call_that_commits_money_names_the_spender():
    commits = {"launch_campaign", "pilot_campaign", "raise_budget", "refuse_budget", "owe_top_ups", "reserve"}
    found = [
        (path.name, call.lineno, any(given.arg == "by" for given in call.keywords))
        for path in (settings.BASE_DIR / "web").rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call)
        and (getattr(call.func, "attr", "") or getattr(call.func, "id", "")) in commits
    ]

    assert len(found) >= 7
    assert [one for one in found if not one[2]] == []


def test_the_terminal_grants_lists_and_revokes(cast):
    made = run("grant_spending", "500", "--person", "manager", "--until", "2999-12-31")
    run("grant_spending", "800", "--change", made["grant"], "--until", "2999-12-31")
    assert refused("grant_spending", "5", "--person", "nobody-here", "--until", "2999-12-31")[0] == 1
    assert refused("grant_spending", "5", "--person", "manager", "--until", "soon")[0] == 2

    listed = run("spending_grants")
    run("revoke_spending", made["grant"])

    assert [(one["for"], one["left"]) for one in listed["grants"]] == [("manager", 800.0)]
    assert (listed["cap"], listed["left"]) == (2500.0, 2500.0)
    [revoked] = run("spending_grants")["grants"]
    assert (revoked["revoked"], revoked["left"]) == (True, 0.0)
    assert refused("revoke_spending", "99999")[0] == 1
