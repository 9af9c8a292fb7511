"""The members page: owners' decisions, and their record."""

import pytest
from django.test import Client

from accounts.models import Invitation
from accounts.roles import Role
from pooling.collections import members
from pooling.errors import MembersRefused
from pooling.models import CollectionChange, Membership, PrivateQuery, QuerySplit

pytestmark = pytest.mark.one_database

ADDRESS = "/collections/harbour/members/"


@pytest.fixture
def owner(client, harbour, django_user_model):
    client.force_login(olga := django_user_model.objects.create_user("olga"))
    Membership.objects.create(collection=harbour.collection, user=olga, role="owner")
    return client


@pytest.fixture
def bob(harbour, django_user_model):
    bob = django_user_model.objects.create_user("bob")
    return Membership.objects.create(collection=harbour.collection, user=bob, role="viewer")


def roles(harbour):
    return dict(
        Membership.objects.filter(collection=harbour.collection).values_list("user__username", "role")
    )


def test_adding_by_name_and_the_log_says_who(owner, harbour, django_user_model):
    django_user_model.objects.create_user("bob")

    page = owner.post(ADDRESS + "add", {"whom": "bob", "role": "manager"}, follow=True).content.decode()

    assert roles(harbour) == {"olga": "owner", "bob": "manager"}
    assert "bob added as campaign manager by olga" in page


def test_inviting_shows_the_link_once(owner, harbour):
    page = owner.post(ADDRESS + "add", {"whom": "new@example.org", "role": "viewer"}).content.decode()

    assert "/accounts/invitations/" in page
    assert "/accounts/invitations/" not in owner.get(ADDRESS).content.decode()
    assert "new@example.org as viewer" in owner.get(ADDRESS).content.decode()


def test_withdrawing_an_invitation(owner, harbour):
    owner.post(ADDRESS + "add", {"whom": "new@example.org", "role": "viewer"})

    owner.post(f"/collections/harbour/invitations/{harbour.collection.invited_members.get().pk}/withdraw")

    assert Invitation.objects.get().withdrawn_at
    assert '<h2 id="h-invited">' not in owner.get(ADDRESS).content.decode()


def test_only_people_who_invite_see_the_address_of_an_invitation(owner, harbour, bob):
    owner.post(ADDRESS + "add", {"whom": "new@example.org", "role": "viewer"})
    viewer = Client()
    viewer.force_login(bob.user)

    page = viewer.get(ADDRESS).content.decode()

    assert "new@example.org" not in page
    assert "somebody invited as viewer by olga" in page
    assert "new@example.org invited as viewer by olga" in owner.get(ADDRESS).content.decode()


def test_what_a_role_may_not_do_is_said_without_internal_words(bob, harbour):
    viewer = Client()
    viewer.force_login(bob.user)

    page = viewer.get("/collections/harbour/about/")

    assert page.status_code == 403
    assert "Only an owner or a maintainer of harbour can do this." in page.content.decode()
    assert "Ask an owner of the collection for another role." in page.content.decode()


def test_a_form_that_is_sent_twice_leaves_one_invitation(owner, harbour):
    for _ in range(2):
        page = owner.post(ADDRESS + "add", {"whom": "ada@example.org", "role": "viewer"}).content.decode()

    assert page.count("Withdraw <span") == 1
    assert members.open_invitations(harbour.collection).count() == 1


def test_an_unknown_name_is_reported(owner):
    page = owner.post(ADDRESS + "add", {"whom": "nobody", "role": "viewer"}, follow=True).content.decode()

    assert "There is no account named" in page


def test_changing_and_removing(owner, harbour, bob):
    owner.post(f"{ADDRESS}{bob.pk}/role", {"role": "maintainer"})
    assert roles(harbour)["bob"] == "maintainer"

    owner.post(f"{ADDRESS}{bob.pk}/remove")
    assert "bob" not in roles(harbour)


def test_handing_over(owner, harbour, bob):
    owner.post(f"{ADDRESS}{bob.pk}/transfer")

    assert roles(harbour) == {"olga": "maintainer", "bob": "owner"}


@pytest.mark.parametrize("way", ["remove", "role", "transfer"])
def test_invitations_end_with_the_owner_who_sent_them(owner, harbour, bob, django_user_model, way):
    olga = django_user_model.objects.get(username="olga")
    Membership.objects.filter(pk=bob.pk).update(role="owner")
    kept = members.invite_member(
        collection=harbour.collection, email="b@example.org", role=Role.VIEWER, invited_by=bob.user
    )
    members.invite_member(
        collection=harbour.collection, email="me-again@example.org", role=Role.OWNER, invited_by=olga
    )
    own = Membership.objects.get(user=olga)

    owner.post(f"{ADDRESS}{bob.pk if way == 'transfer' else own.pk}/{way}", {"role": "viewer"})

    assert [row.invitation for row in members.open_invitations(harbour.collection)] == [kept.invitation]
    assert "invitation of me-again@example.org withdrawn" in str(
        list(CollectionChange.objects.values_list("what", flat=True))
    )


@pytest.mark.parametrize(("what", "post"), [("role", {"role": "viewer"}), ("remove", {})])
def test_an_owner_always_remains(owner, harbour, bob, what, post):
    olga = Membership.objects.get(user__username="olga")

    page = owner.post(f"{ADDRESS}{olga.pk}/{what}", post, follow=True).content.decode()

    assert roles(harbour)["olga"] == "owner"
    assert "without an owner" in page


def test_an_unknown_role_gives_the_least_rights(owner, harbour, bob):
    owner.post(f"{ADDRESS}{bob.pk}/role", {"role": "emperor"})

    assert roles(harbour)["bob"] == "viewer"


def test_members_of_another_collection_are_out_of_reach(owner, harbour, bob):
    from tests.factories import make_collection

    bob.collection = make_collection("elsewhere", ["q1"])
    bob.save()

    assert owner.post(f"{ADDRESS}{bob.pk}/remove").status_code == 404


def test_publishing_and_hiding(owner, harbour):
    owner.post("/collections/harbour/visibility", {"visibility": "private"})
    harbour.collection.refresh_from_db()
    assert harbour.collection.visibility == "private"

    owner.post("/collections/harbour/visibility", {"visibility": "nonsense"})
    assert CollectionChange.objects.filter(collection=harbour.collection).count() == 1


def test_nobody_is_added_twice(harbour, bob):
    with pytest.raises(MembersRefused):
        members.add_member(collection=harbour.collection, username="bob", role=Role.OWNER, who="olga")


def test_a_later_collection_of_the_same_name_has_no_members(bob):
    from tests.factories import make_collection

    collection = make_collection("short-lived", ["q1"])
    Membership.objects.create(collection=collection, user=bob.user, role="owner")
    collection.delete()

    assert not members.may(bob.user, "see everything", make_collection("short-lived", ["q1"]))


def preview(owner):
    return owner.post("/collections/harbour/visibility", {"visibility": "published"}).content.decode()


def test_the_publish_preview_counts_only_the_texts_that_everybody_reads(owner, harbour):
    split = QuerySplit.objects.create(collection=harbour.collection)
    PrivateQuery.objects.create(split=split, query=harbour.query("q3"))

    page = preview(owner)

    shown = harbour.collection.queries.count() - 1
    assert f"the texts of {shown} queries; neither texts nor results of the 1 private query<" in page


def test_the_publish_preview_says_which_labels_are_withheld(owner, harbour):
    assert "public: 3 labels, with the passages in them" in preview(owner)
    split = QuerySplit.objects.create(collection=harbour.collection)
    PrivateQuery.objects.create(split=split, query=harbour.query("q3"))
    assert "public: 2 labels on public queries, with the passages in them" in preview(owner)

    harbour.collection.qrel_sets.update(withheld=True)

    page = preview(owner)
    assert ">The labels official</th>" in page
    assert "withheld: scores under 3 labels, but no label" in page
    assert 'href="/collections/harbour/policy/#h-labels"' in page
