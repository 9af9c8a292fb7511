"""Connections to PostgreSQL: prepared statements, and the connection check before a request."""

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from config.postgresql.base import SETTINGS
from config.prepared_queries import Prepared

pytestmark = [pytest.mark.postgres_only, pytest.mark.skipif("connection.vendor != 'postgresql'")]


@pytest.mark.django_db
def test_the_server_plans_a_prepared_queryset_once_and_knows_its_fixed_values():
    prepared = Prepared(lambda key: User.objects.filter(pk__gt=key, is_active=True, username="100%"))

    assert [prepared(key) for key in range(3)] == [[], [], []]

    with connection.cursor() as cursor:
        cursor.execute("SELECT statement FROM pg_prepared_statements WHERE statement LIKE '%%100\\%%%%'")
        (statement,) = cursor.fetchall()
    assert "$1" in statement[0]
    assert "$2" not in statement[0]


@pytest.mark.django_db
def test_every_connection_has_the_settings_of_the_planner():
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, setting FROM pg_settings WHERE name = ANY(%s)", [list(SETTINGS)])

        assert dict(cursor.fetchall()) == SETTINGS


@pytest.mark.django_db(transaction=True)
def test_a_request_replaces_a_connection_that_the_server_closed():
    User.objects.count()
    process = connection.connection.info.backend_pid
    other = connections.create_connection("default")
    other.cursor().execute("SELECT pg_terminate_backend(%s, 5000)", [process])
    other.close()

    connection.health_check_enabled, connection.health_check_done = True, False

    assert User.objects.count() == 0
    assert connection.connection.info.backend_pid != process


@pytest.mark.django_db(transaction=True)
def test_the_check_of_an_open_connection_asks_nothing(monkeypatch):
    User.objects.count()
    monkeypatch.setattr(connection.connection, "cursor", None)

    assert connection.is_usable()


@pytest.mark.django_db
def test_counted_statements_show_their_values():
    prepared = Prepared(lambda key: User.objects.filter(pk=key))

    with CaptureQueriesContext(connection) as queries:
        prepared(4711)
        prepared(4712)

    assert ["4711" in queries[0]["sql"], "4712" in queries[1]["sql"]] == [True, True]
