"""Write many rows in bulk for benchmarks, and gather the statistics of their tables."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from django.core.management.color import no_style
from django.db import connection, models

from pooling.storage import bulk


def insert_rows(model: type[models.Model], columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert rows whose other columns have the model's defaults."""
    rest = [
        field
        for field in model._meta.concrete_fields
        if field.column not in columns and not (field.primary_key and "id" not in columns)
    ]
    given = [
        json.dumps(value) if isinstance(field, models.JSONField) and value is not None else value
        for field in rest
        for value in [field.get_default()]
    ]
    bulk.insert(model, [*columns, *(field.column for field in rest)], ([*row, *given] for row in rows))
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), [model]):
            cursor.execute(statement)


def gather_statistics() -> None:
    """Analyze every table that has rows, as PostgreSQL's autovacuum does within a minute."""
    with connection.cursor() as cursor:
        for table in map(connection.ops.quote_name, connection.introspection.table_names()):
            cursor.execute(f"SELECT EXISTS (SELECT 1 FROM {table})")
            (filled,) = cursor.fetchone()
            if filled:
                cursor.execute(f"ANALYZE {table}")
