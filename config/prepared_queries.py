"""Querysets, updates and insertions whose SQL is built and planned once, for frequent requests.

Normally, Django builds the SQL for each request and PostgreSQL plans it. Both take longer than answering a small
query. Here, SQL is built on first use in a process, with placeholders that each call fills with its values.
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
#: Placeholders for a key and a string while the SQL is built. No other value in a queryset equals them, and every
#: column accepts them.
_KEY, _WORD = 2_041_973_000, "placeholder "


class Prepared(Generic[Row]):
    """A queryset with parameters, whose SQL is built once. A call with the parameters' values returns the rows.

    A parameter is a string if ``words`` contains its index (from 0), else a key. ``build`` returns the queryset for
    given values. It must only compare columns with the values: no value can be None or decide which filters apply.
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
        """Return the first row for these values, or None. Use it only where there are few rows: all are read."""
        return next(iter(self(*values)), None)

    # A test can use both databases in one process, and each needs its own SQL.
    def _compiled(self, vendor: str) -> tuple[QuerySet[Any, Row], Any, str, Sequence[object]]:
        queryset = self.build(*self.places)
        compiler = queryset.query.get_compiler(DEFAULT_DB_ALIAS)
        return queryset, compiler, *_statement(vendor, compiler, self.places)


class PreparedUpdate:
    """An update of ``fields`` in the rows of a queryset whose parameters are keys. Its SQL is built once.

    ``build`` returns the queryset, as in :class:`Prepared`, and uses only one table. Each call fills in the keys and
    the new value of every field, and returns the number of rows changed.
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

    Values are sent as they are, so the model must have no column whose values Django has to convert.
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
    """Return the model's fields without its key, and the statement that inserts rows from one array per field."""
    fields = [field for field in model._meta.local_concrete_fields if not field.primary_key]
    connection = connections[DEFAULT_DB_ALIAS]
    name = connection.ops.quote_name
    columns = ", ".join(name(str(field.column)) for field in fields)
    # The types have no length, because a cast to varchar(n) would cut off a long text instead of refusing it.
    types = [str(field.cast_db_type(connection)).partition("(")[0] for field in fields]
    arrays = ", ".join(f"%s::{one}[]" for one in types)
    rows = f"SELECT * FROM UNNEST({arrays})"  # noqa: S608 -- only names
    return fields, f"INSERT INTO {name(model._meta.db_table)} ({columns}) {rows}"


def _statement(vendor: str, compiler: Any, places: Collection[object]) -> tuple[str, Sequence[object]]:
    """Return the compiler's SQL and its parameters. Parameters in ``places`` are placeholders for a call's values."""
    sql, parameters = compiler.as_sql()
    if vendor == "postgresql":
        # Values that never change become part of the statement, because indexes depend on them.
        written = ("%s" if one in places else quote(one).replace("%", "%%") for one in parameters)
        sql, parameters = sql % tuple(written), [one for one in parameters if one in places]
    return sql, parameters


def prepared_cursor(connection: BaseDatabaseWrapper) -> Any:
    """Return a cursor that prepares its statements if the database supports this, else a plain cursor."""
    return getattr(connection, "prepared_cursor", connection.cursor)()
