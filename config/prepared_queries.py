"""Querysets whose SQL is built and planned once, for requests that many people send at once.

Django builds the SQL of a queryset again each time, and PostgreSQL plans it again. Both take longer than answering a
small query. A ``Prepared`` queryset is compiled at its first use in a process with placeholders for its values, and
each call fills in its own. The rows are those of the queryset.
"""

import copy
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import QuerySet
from psycopg.sql import quote

Row = TypeVar("Row")
#: The placeholder for a value while the SQL is built: nothing else in a queryset equals it, and every column accepts
#: it.
_KEY, _WORD = 2_041_973_000, "placeholder "


class Prepared(Generic[Row]):
    """A queryset with parameters, each a key or, if ``words`` contains its index (from 0), a string.

    ``build`` makes the queryset from these values. The values must only be compared and never change the query
    itself: no value is None, and none decides which filters apply.
    """

    def __init__(self, build: Callable[..., QuerySet[Any, Row]], *, words: tuple[int, ...] = ()) -> None:
        self.build = build
        number = build.__code__.co_argcount
        self.places: dict[object, int] = {
            (f"{_WORD}{place}" if place in words else _KEY + place): place for place in range(number)
        }
        self.compiled = cache(self._compiled)

    def __call__(self, *values: int | str) -> list[Row]:
        connection = connections[DEFAULT_DB_ALIAS]
        queryset, compiler, sql, parameters = self.compiled(connection.vendor)
        filled = [values[self.places[one]] if one in self.places else one for one in parameters]
        with prepared_cursor(connection) as cursor:
            cursor.execute(sql, filled)
            found = cursor.fetchall()
        ready = copy.copy(compiler)
        ready.connection, ready.execute_sql = connection, lambda *_, **__: [found]
        rows: Any = queryset.all()
        rows.query.get_compiler = lambda *_, **__: ready
        return list(rows)

    def first(self, *values: int | str) -> Row | None:
        """Return the first row for these values, if any; for querysets of few rows, since all are read."""
        return next(iter(self(*values)), None)

    # A test can use both databases in one process, and each needs its own SQL.
    def _compiled(self, vendor: str) -> tuple[QuerySet[Any, Row], Any, str, Sequence[object]]:
        queryset = self.build(*self.places)
        compiler = queryset.query.get_compiler(DEFAULT_DB_ALIAS)
        sql, parameters = compiler.as_sql()
        if vendor == "postgresql":
            # Values that never change become part of the statement, because indexes depend on them.
            written = ("%s" if one in self.places else quote(one).replace("%", "%%") for one in parameters)
            sql, parameters = sql % tuple(written), [one for one in parameters if one in self.places]
        return queryset, compiler, sql, parameters


def prepared_cursor(connection: BaseDatabaseWrapper) -> Any:
    """Return a cursor whose statements the server keeps planned, if the database can do this."""
    return getattr(connection, "prepared_cursor", connection.cursor)()
