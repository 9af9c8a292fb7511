"""A prepared queryset returns the same rows as Django's, for every kind of row and any values."""

from threading import Thread

import pytest
from django.db import connection
from django.db.models import Exists, F, OuterRef

from accounts.models import User
from config.prepared_queries import Prepared

pytestmark = pytest.mark.django_db


@pytest.fixture
def people():
    return [User.objects.create(username=name, email=f"{name}@example.org") for name in ("ada", "bo", "cleo")]


def users_from(least, name):
    """Users with at least this key or this name."""
    first = Exists(User.objects.filter(pk__lt=OuterRef("pk"), pk__gte=least))
    named = User.objects.filter(username=name) | User.objects.filter(pk__gte=least)
    return named.annotate(later=first, twice=F("pk") * 2).order_by("-pk")


def test_rows_are_those_of_the_queryset(people):
    columns = ("username", "date_joined", "later", "is_active", "twice", "pk")
    tuples = Prepared(lambda least, name: users_from(least, name).values_list(*columns), words=(1,))
    models = Prepared(users_from, words=(1,))

    for least in (people[0].pk, people[2].pk, 0):
        for name in ("ada", "bo", 'it\'s % "quoted" %s'):
            assert tuples(least, name) == list(users_from(least, name).values_list(*columns))
            found, expected = models(least, name), list(users_from(least, name))
            assert found == expected
            assert [(one.email, one.later) for one in found] == [(one.email, one.later) for one in expected]


def test_related_rows_come_along(people, django_assert_num_queries):
    from pooling.models import Collection, Membership

    collection = Collection.objects.create(name="meadow")
    Membership.objects.create(collection=collection, user=people[0], role="owner")
    prepared = Prepared(lambda user: Membership.objects.filter(user=user).select_related("collection"))

    with django_assert_num_queries(1):
        assert prepared(people[0].pk)[0].collection.name == "meadow"
    assert prepared.first(people[1].pk) is None


def test_sql_is_built_once(people, monkeypatch):
    built = []
    prepared = Prepared(lambda key: built.append(key) or User.objects.filter(pk=key))

    assert [prepared(one.pk)[0] for one in people] == people
    assert len(built) == 1


@pytest.mark.django_db(transaction=True)
def test_threads_use_their_own_connections(people):
    prepared = Prepared(lambda key: User.objects.filter(pk=key))
    assert prepared(people[0].pk)
    found = []

    def ask():
        found.extend(prepared(people[1].pk))
        connection.close()

    thread = Thread(target=ask)
    thread.start()
    thread.join()

    assert found == [people[1]]
    assert prepared(people[2].pk) == [people[2]]
