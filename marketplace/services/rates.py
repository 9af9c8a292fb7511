"""Rate limits, shared by every process through the database.

A limit is a token bucket, stored as one number: the time at which it is full again (the "generic cell rate
algorithm", ITU-T I.371). Taking a token is one conditional upsert. So concurrent takers neither share a token nor
lose one, on PostgreSQL and on SQLite. The database's clock is used, because several machines may share the database.
On PostgreSQL the table is unlogged: nothing waits for the disk, and a crash only refills the buckets.
"""

import time
from dataclasses import dataclass

from django.db import connection

from marketplace.models import Bucket

_SECOND = 1_000_000
_CLOCKS = {
    "postgresql": "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS bigint)",
    # SQLite reads the clock, to the millisecond, after it has acquired the write lock.
    "sqlite": "CAST((julianday('now') - 2440587.5) * 86400000000 AS integer)",
}


@dataclass(frozen=True)
class Rate:
    """A rate limit: ``burst`` tokens at once, then one more every ``seconds``."""

    seconds: float
    burst: int

    @property
    def step(self) -> int:
        """The time in which one token is refilled, in microseconds."""
        return max(1, round(self.seconds * _SECOND))


def per_second(calls: float) -> Rate:
    """Return a limit of ``calls`` a second, with a burst of one second's calls."""
    return Rate(1 / calls, max(1, int(calls)))


def take_rate(name: str, rate: Rate, *, now: float | None = None) -> bool:
    """Take a token, and return whether one was left. ``now`` (in seconds) replaces the database's clock."""
    clock = _CLOCKS[connection.vendor] if now is None else str(int(now * _SECOND))
    table = connection.ops.quote_name(Bucket._meta.db_table)
    later = "GREATEST" if connection.vendor == "postgresql" else "MAX"
    with connection.cursor() as cursor:
        # The SQL text contains only our own constants and numbers.
        cursor.execute(
            f"""
            INSERT INTO {table} AS bucket (name, full_at) VALUES (%s, {clock} + %s)
            ON CONFLICT (name) DO UPDATE SET full_at = {later}(bucket.full_at, {clock}) + %s
             WHERE bucket.full_at <= {clock} + %s
            """,  # noqa: S608
            [name, rate.step, rate.step, rate.step * (rate.burst - 1)],
        )
        return bool(cursor.rowcount == 1)


def undo_take(name: str, rate: Rate) -> None:
    """Put back the token that one :func:`take_rate` took."""
    table = connection.ops.quote_name(Bucket._meta.db_table)
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE {table} SET full_at = full_at - %s WHERE name = %s",  # noqa: S608
            [rate.step, name],
        )


def forget_full() -> int:
    """Remove buckets that have been full for an hour; returns how many.

    They are not needed, because a new bucket is full, too.
    """
    deleted, _ = Bucket.objects.filter(full_at__lt=int((time.time() - 3600) * _SECOND)).delete()
    return deleted
