"""Counts of database rows by one of their fields."""

from collections import Counter
from typing import Any

from django.db.models import Count, QuerySet


def count_by(rows: QuerySet[Any], field: str) -> Counter[Any]:
    """Count the rows by the value of a field; 0 for a value that no row has."""
    return Counter(dict(rows.values_list(field).annotate(Count("pk")).order_by()))
