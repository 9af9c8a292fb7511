"""Members and invitations over the API."""

import pytest

from pooling.models import CollectionChange, Membership
from tests.web.api_caller import api as api, problem

pytestmark = pytest.mark.one_database
MEMBERS = "/collections/harbour/members"
INVITATIONS = "/collections/harbour/invitations"


def patch(api, address, content):
    return api.client.patch(
        f"/api/v1{address}", content, content_type="application/json", headers=api.headers
    )


def delete(api, address):
    return api.client.delete(f"/api/v1{address}", headers=api.headers)


def test_a_member_is_added_given_another_role_and_removed(api, published, django_user_model):
    django_user_model.objects.create_user("bob")

    added = api.post(MEMBERS, {"username": "bob", "role": "viewer"})
    bob = f"{MEMBERS}/{added.json()['id']}"
    changed = patch(api, bob, {"role": "manager"})
    listed = api.get(MEMBERS).json()
    removed = delete(api, bob)

    assert (added.status_code, changed.json()["role"], removed.status_code) == (201, "manager", 204)
    assert [(one["username"], one["role"]) for one in listed] == [("bob", "manager"), ("olga", "owner")]
    assert not Membership.objects.filter(user__username="bob").exists()
    log = CollectionChange.objects.filter(collection=published.collection).order_by("pk")
    assert [(change.what, change.who) for change in log] == [
        ("bob added as viewer", "olga"),
        ("bob is now campaign manager", "olga"),
        ("bob removed", "olga"),
    ]


def test_setting_the_same_role_is_not_recorded(api, published):
    olga = Membership.objects.get(user=api.user)

    assert patch(api, f"{MEMBERS}/{olga.pk}", {"role": "owner"}).status_code == 200
    assert not CollectionChange.objects.filter(collection=published.collection).exists()


def test_existing_members_unknown_accounts_and_the_last_owner_are_refused(api):
    olga = f"{MEMBERS}/{Membership.objects.get(user=api.user).pk}"

    problem(api.post(MEMBERS, {"username": "olga", "role": "viewer"}), 409)
    problem(api.post(MEMBERS, {"username": "nobody-here", "role": "viewer"}), 422)
    assert "without an owner" in problem(patch(api, olga, {"role": "viewer"}), 409)["detail"]
    problem(delete(api, olga), 409)
    problem(patch(api, olga, {"role": "emperor"}), 422)
    assert problem(delete(api, f"{MEMBERS}/999999"), 404)["detail"] == "There is no such member here."


def test_an_invitations_link_is_in_only_one_response(api):
    made = api.post(INVITATIONS, {"email": "new@example.org", "role": "maintainer"})
    [listed] = api.get(INVITATIONS).json()

    assert (made.status_code, made.json()["mailed"]) == (201, False)
    assert "/accounts/invitations/" in made.json()["link"]
    assert (listed["email"], listed["role"], "link" in listed) == ("new@example.org", "maintainer", False)


def test_a_withdrawn_invitation_opens_nothing(api, client):
    made = api.post(INVITATIONS, {"email": "new@example.org", "role": "viewer"}).json()

    gone = delete(api, f"{INVITATIONS}/{made['id']}")

    assert gone.status_code == 204
    assert api.get(INVITATIONS).json() == []
    assert "used or withdrawn, or has expired" in client.get(made["link"]).content.decode()
    problem(delete(api, f"{INVITATIONS}/{made['id']}"), 404)


def test_an_invalid_address_is_refused(api):
    problem(api.post(INVITATIONS, {"email": "not an address", "role": "viewer"}), 422)
    assert api.get(INVITATIONS).json() == []


def test_an_invitation_that_was_mailed_shows_no_link(api, settings, mailoutbox):
    settings.MAIL = {"host": "mail.example.org"}

    made = api.post(INVITATIONS, {"email": "new@example.org", "role": "viewer"}).json()

    assert (made["mailed"], made["link"]) == (True, "")
    assert "/accounts/invitations/" in mailoutbox[0].body
