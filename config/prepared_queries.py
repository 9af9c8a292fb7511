"""Querysets, updates and insertions whose SQL is built and planned once, for requests that many people send at once.

Django builds the SQL again each time, and PostgreSQL plans it again. Both take longer than answering a small query.
These are compiled at their first use in a process, with placeholders that each call replaces by its own values.
"""

import copy
from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Model, QuerySet, Value
from django.db.models.sql import UpdateQuery
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
        return queryset, compiler, *_statement(vendor, compiler, self.places)


class PreparedUpdate:
    """An update of some fields in the rows of a queryset with parameters, each a key.

    ``build`` makes the queryset as for :class:`Prepared`, of one table. Each call fills in the keys and the new value
    of every field, and returns the number of rows changed.
    """

    def __init__(self, build: Callable[..., QuerySet[Any, Any]], *fields: str) -> None:
        self.build = build
        self.places: dict[object, int] = {_KEY + place: place for place in range(build.__code__.co_argcount)}
        self.fields = {f"{_WORD}{name}": name for name in fields}
        self.compiled = cache(self._compiled)

    def __call__(self, *keys: int, **changes: Any) -> int:
        connection = connections[DEFAULT_DB_ALIAS]
        model, sql, parameters = self.compiled(connection.vendor)
        ready: dict[object, Any] = {marker: keys[place] for marker, place in self.places.items()}
        for marker, name in self.fields.items():
            field: Any = model._meta.get_field(name)
            ready[marker] = field.get_db_prep_save(changes[name], connection)
        with prepared_cursor(connection) as cursor:
            cursor.execute(sql, [ready.get(one, one) for one in parameters])
            return int(cursor.rowcount)

    def _compiled(self, vendor: str) -> tuple[type[Model], str, Sequence[object]]:
        queryset = self.build(*self.places)
        query: Any = queryset.query.chain(UpdateQuery)
        query.add_update_values({name: Value(marker) for marker, name in self.fields.items()})
        compiler = query.get_compiler(DEFAULT_DB_ALIAS)
        return queryset.model, *_statement(vendor, compiler, [*self.places, *self.fields])


def append_rows(rows: Sequence[Model], *, ignore_conflicts: bool = False) -> None:
    """Insert new rows of one model in one statement, without reading their keys back.

    Values are stored as they are: the model has no column whose values the database adapter has to convert.
    """
    if not rows:
        return
    model, connection = type(rows[0]), connections[DEFAULT_DB_ALIAS]
    if connection.vendor != "postgresql":
        model._default_manager.bulk_create(rows, ignore_conflicts=ignore_conflicts)
        return
    fields, sql = _insertion(model)
    values = [[field.pre_save(row, add=True) for row in rows] for field in fields]
    with prepared_cursor(connection) as cursor:
        cursor.execute(sql + (" ON CONFLICT DO NOTHING" if ignore_conflicts else ""), values)


@cache
def _insertion(model: type[Model]) -> tuple[Sequence[Any], str]:
    """Return the columns of a new row, and the statement that inserts rows from an array for each column."""
    fields = [field for field in model._meta.local_concrete_fields if not field.primary_key]
    connection = connections[DEFAULT_DB_ALIAS]
    name = connection.ops.quote_name
    columns = ", ".join(name(str(field.column)) for field in fields)
    # Without its length, a type refuses a text that is too long; a cast to a length would cut it off.
    types = [str(field.cast_db_type(connection)).partition("(")[0] for field in fields]
    arrays = ", ".join(f"%s::{one}[]" for one in types)
    rows = f"SELECT * FROM UNNEST({arrays})"  # noqa: S608 -- only names
    return fields, f"INSERT INTO {name(model._meta.db_table)} ({columns}) {rows}"


def _statement(vendor: str, compiler: Any, places: Collection[object]) -> tuple[str, Sequence[object]]:
    """Return the compiler's SQL and its parameters, of which ``places`` are to be filled in."""
    sql, parameters = compiler.as_sql()
    if vendor == "postgresql":
        # Values that never change become part of the statement, because indexes depend on them.
        written = ("%s" if one in places else quote(one).replace("%", "%%") for one in parameters)
        sql, parameters = sql % tuple(written), [one for one in parameters if one in places]
    return sql, parameters


def prepared_cursor(connection: BaseDatabaseWrapper) -> Any:
    """Return a cursor whose statements the server keeps planned, if the database can do this."""
    return getattr(connection, "prepared_cursor", connection.cursor)()
