"""Prepared reads and writes have the same results as Django's, for every kind of row and any values."""

from datetime import UTC, datetime
from threading import Thread

import pytest
from django.db import DataError, IntegrityError, connection, transaction
from django.db.models import Exists, F, OuterRef

from accounts.models import User
from config.prepared_queries import Prepared, PreparedUpdate, append_rows

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


def test_an_update_changes_the_rows_of_its_queryset_only(people):
    ada, bo, cleo = people
    rename = PreparedUpdate(
        lambda least, most: User.objects.filter(pk__gte=least, pk__lte=most, is_active=True),
        "first_name",
        "last_login",
        "is_active",
    )
    now = datetime(2022, 2, 2, 22, 22, 22, 123456, tzinfo=UTC)

    assert rename(bo.pk, cleo.pk, first_name="it's %s", last_login=now, is_active=False) == 2
    assert rename(bo.pk, cleo.pk, first_name="again", last_login=None, is_active=True) == 0
    assert rename(ada.pk, ada.pk, first_name="", last_login=None, is_active=True) == 1

    rows = User.objects.order_by("pk").values_list("first_name", "last_login", "is_active")
    assert list(rows) == [("", None, True), ("it's %s", now, False), ("it's %s", now, False)]


def test_appended_rows_are_those_that_django_would_store(people):
    now = datetime(2022, 2, 2, 22, 22, 22, 123456, tzinfo=UTC)
    different = [
        {
            "username": "dora",
            "last_login": now,
            "is_active": False,
            "first_name": 'a "quoted" {%s}, \\ and é',
        },
        {"username": "emil", "last_login": None, "is_active": True},
    ]

    append_rows([User(date_joined=now, **one) for one in different])
    stored = list(User.objects.filter(date_joined=now).order_by("pk").values())
    User.objects.filter(date_joined=now).delete()
    User.objects.bulk_create([User(date_joined=now, **one) for one in different])
    expected = list(User.objects.filter(date_joined=now).order_by("pk").values())

    for row in stored + expected:
        del row["id"]
    assert stored == expected
    assert len(stored) == 2


def test_appended_rows_are_stored_all_or_none(people):
    twice = [User(username="dora"), User(username="ada")]

    with pytest.raises(IntegrityError), transaction.atomic():
        append_rows(twice)
    assert not User.objects.filter(username="dora").exists()
    append_rows(twice, ignore_conflicts=True)
    append_rows([])
    assert User.objects.filter(username="dora").count() == 1


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite does not limit the length of texts")
def test_a_text_that_is_too_long_is_refused_not_cut_off():
    with pytest.raises(DataError), transaction.atomic():
        append_rows([User(username="x" * 151)])
