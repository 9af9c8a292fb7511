"""Invitations: each link works for one person, once, until it expires."""

import json
from datetime import timedelta

import pytest
from django.core import mail
from django.core.management import call_command

from accounts.errors import InvitationOver, NotAnAccount
from accounts.models import Invitation, User
from accounts.services import invitations
from config import clock
from pooling.collections import members
from pooling.models import Membership
from tests.factories import make_collection

ACCOUNT = {"username": "ada", "password": "a horse reads passages"}
OTHERS_ADDRESS = ACCOUNT | {"username": "bob@example.org"}

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection():
    return make_collection("harbour", ["q1"])


def invite(collection, **details):
    return members.invite_member(
        collection=collection,
        **({"email": "ada@example.org", "role": members.Role.MAINTAINER, "invited_by": None} | details),
    )


def path(invited):
    return "/accounts/" + invited.link.partition("/accounts/")[2]


def test_a_new_person_gets_an_account_and_the_role(client, collection):
    invited = invite(collection)

    assert "as <strong>maintainer</strong>" in client.get(path(invited)).content.decode()
    reply = client.post(path(invited), ACCOUNT)

    assert reply["Location"] == "/collections/harbour/"
    member = Membership.objects.get()
    assert (member.user.username, member.user.email, member.role) == ("ada", "ada@example.org", "maintainer")
    assert client.get("/collections/harbour/").status_code == 200


def test_a_link_works_once(client, collection):
    invited = invite(collection)
    client.post(path(invited), ACCOUNT)
    client.logout()

    again = client.post(path(invited), ACCOUNT | {"username": "eve"})

    assert again.status_code == 404
    assert "This invitation is no longer valid" in again.content.decode()
    assert User.objects.count() == 1


def test_a_second_invitation_replaces_the_first_one(client, collection):
    other = invite(collection, email="bob@example.org")
    first = invite(collection)
    second = invite(collection, email="Ada@example.org", role=members.Role.VIEWER)

    assert client.get(path(first)).status_code == 404
    assert client.get(path(second)).status_code == 200
    assert client.get(path(other)).status_code == 200
    assert members.open_invitations(collection).count() == 2


@pytest.mark.parametrize("options", [(), ("--administrator",)])
def test_the_command_leaves_one_link_to_an_address(client, collection, options):
    invite(collection)
    for _ in range(2):
        call_command("invite_person", "ada@example.org", *options, "--json")

    waiting = Invitation.objects.open(clock.now())
    assert waiting.filter(administrator=bool(options)).count() == (1 if options else 2)
    assert members.open_invitations(collection).count() == 1


def test_viewing_an_invitation_does_not_use_it_up(client, collection):
    invited = invite(collection)

    client.get(path(invited))
    client.head(path(invited))

    assert client.post(path(invited), ACCOUNT).status_code == 302


def test_a_link_expires(client, collection):
    invited = invite(collection)

    with clock.shifted(timedelta(days=8)):
        assert client.post(path(invited), ACCOUNT).status_code == 404
    assert not User.objects.exists()


def test_a_withdrawn_link_no_longer_works(client, collection):
    invited = invite(collection)
    members.withdraw_member_invitation(invited=collection.invited_members.get(), who="bob")

    assert client.get(path(invited)).status_code == 404


def test_a_person_with_an_account_joins_through_the_link(client, collection, django_user_model):
    client.force_login(django_user_model.objects.create_user("bob"))

    client.post(path(invite(collection)))

    assert Membership.objects.get().user.username == "bob"


def test_a_removed_member_cannot_return_through_the_old_link(client, collection, django_user_model):
    client.force_login(django_user_model.objects.create_user("bob"))
    invited = invite(collection)
    client.post(path(invited))
    Membership.objects.all().delete()

    client.post(path(invited))

    assert not Membership.objects.exists()


def test_a_member_keeps_the_existing_role(client, collection, django_user_model):
    bob = django_user_model.objects.create_user("bob")
    Membership.objects.create(collection=collection, user=bob, role="owner")
    client.force_login(bob)

    client.post(path(invite(collection, role=members.Role.VIEWER)))

    assert Membership.objects.get().role == "owner"


@pytest.mark.parametrize(
    "account",
    [
        ACCOUNT | {"password": "password"},
        ACCOUNT | {"username": "a b"},
        ACCOUNT | {"username": "BOB"},
        OTHERS_ADDRESS,
        {},
    ],
    ids=["common password", "blank in name", "taken name", "address for a name", "empty"],
)
def test_invalid_input_is_explained_and_does_not_use_up_the_link(
    client, collection, account, django_user_model
):
    django_user_model.objects.create_user("bob")
    invited = invite(collection)

    reply = client.post(path(invited), account)

    assert reply.status_code == 422
    assert 'role="alert"' in reply.content.decode()
    assert Invitation.objects.open(clock.now()).exists()


def test_one_of_two_concurrent_uses_is_refused(collection, django_user_model):
    invited = invite(collection)
    stale = Invitation.objects.get()
    members.join(invitation=invited.invitation, user=django_user_model.objects.create_user("bob"))

    with pytest.raises(InvitationOver):
        members.join(invitation=stale, user=django_user_model.objects.create_user("eve"))


def test_only_a_hash_of_the_link_is_stored(collection):
    invited = invite(collection)

    assert invited.link.rstrip("/").rpartition("/")[2] not in str(Invitation.objects.values().get())


def test_an_invitation_needs_an_address(collection):
    with pytest.raises(NotAnAccount):
        invite(collection, email="nonsense")
    assert not collection.changes.exists()


def test_with_a_mail_server_the_link_is_mailed_and_proves_the_address(client, collection, settings):
    settings.MAIL = True
    invited = invite(collection)
    assert invitations.mail(invited, to_what="harbour")
    assert invited.link in mail.outbox[0].body

    client.post(path(invited), ACCOUNT)

    assert User.objects.get().emailaddress_set.get().verified


def test_an_address_without_a_mailed_link_is_not_confirmed(client, collection):
    client.post(path(invite(collection)), ACCOUNT)

    assert not User.objects.get().emailaddress_set.get().verified


def test_the_link_is_shown_if_the_mail_server_is_down(collection, settings):
    settings.MAIL = True
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9

    assert not invitations.mail(invite(collection), to_what="harbour")


def test_the_command_invites_the_first_administrator(client, capsys):
    call_command("invite_person", "ada@example.org", "--administrator", "--json")
    said = json.loads(capsys.readouterr().out)
    assert ("to" in said, said["as"]) == (False, "administrator")
    link = said["link"]

    client.post("/accounts/" + link.partition("/accounts/")[2], ACCOUNT)

    ada = User.objects.get()
    assert (ada.is_superuser, ada.is_staff) == (True, True)
    assert client.get("/admin/").status_code == 200


def test_a_former_administrator_cannot_become_one_again_through_the_old_link(client):
    User.objects.create_superuser("bob", password="a horse reads passages")
    invited = invitations.create_invitation(email="ada@example.org", invited_by=None, administrator=True)
    client.post(path(invited), ACCOUNT)
    User.objects.filter(username="ada").update(is_superuser=False, is_staff=False)

    assert client.post(path(invited)).status_code == 302
    with clock.shifted(timedelta(days=30)):
        client.force_login(User.objects.get(username="ada"))
        client.post(path(invited))

    ada = User.objects.get(username="ada")
    assert (ada.is_superuser, ada.is_staff) == (False, False)


def first_link():
    return "/accounts/" + invitations.first_administrator_link().partition("/accounts/")[2]


def test_the_first_administrators_link_works_once(client):
    link = first_link()

    assert "E-mail address" in client.get(link).content.decode()
    reply = client.post(link, ACCOUNT | {"email": "ada@example.org"})

    assert reply["Location"] == "/"
    user = User.objects.get()
    assert (user.email, user.is_superuser, user.is_staff) == ("ada@example.org", True, True)
    client.logout()
    assert client.post(link, ACCOUNT | {"username": "eve"}).status_code == 404
    assert invitations.first_administrator_link() == ""


def test_the_first_administrator_needs_no_address(client):
    assert client.post(first_link(), ACCOUNT).status_code == 302

    assert User.objects.get().email == ""
    assert not User.objects.get().emailaddress_set.exists()


def test_a_new_link_replaces_the_first_administrators_old_one(client):
    old, new = first_link(), first_link()

    assert client.get(old).status_code == 404
    assert client.get(new).status_code == 200


def test_the_first_administrators_link_ends_once_there_is_an_administrator(client):
    link = first_link()
    User.objects.create_superuser("bob", password="a horse reads passages")

    assert client.post(link, ACCOUNT).status_code == 404
    assert not User.objects.filter(username="ada").exists()


def test_the_first_administrators_link_expires(client):
    link = first_link()

    with clock.shifted(timedelta(hours=25)):
        assert client.post(link, ACCOUNT).status_code == 404
