"""Retention of runs' per-query values. They could be computed again, but every board would have to wait for them."""

from collections.abc import Iterable
from datetime import timedelta

from django.conf import settings
from django.db.models import Q

from config import clock
from leaderboard.cache.kept_analyses import IN_USE
from leaderboard.cache.software_version import software_key
from leaderboard.models import Evaluation

BYTES_A_VALUE = 8
BYTES_A_ROW = 300
"""Bytes of a row without its values, including its share of the index."""
ROWS_AT_ONCE = 1000


def record_use(rows: Iterable[Evaluation]) -> None:
    """Record that these rows were used, at most once an hour per row, so that most reads do not write."""
    now = clock.now()
    idle = [row.pk for row in rows if row.used_at < now - IN_USE]
    if idle:
        Evaluation.objects.filter(pk__in=idle).update(used_at=now)


def forget_values() -> int:
    """Delete values of other software versions, and the least recently used values beyond the size limit.

    The limit equals that of analyses, but is applied separately. Anything created or recorded as used within the
    last hour stays. Returns the number of deleted rows.
    """
    # During a rolling update, machines create rows of both versions for a while.
    made_before = clock.now() - timedelta(days=1)
    others = Evaluation.objects.filter(~Q(software_version=software_key()), created_at__lt=made_before)
    gone = others.delete()[0]
    unused = _unused_beyond_limit() if settings.KEEP_ANALYSES_BYTES else []
    for first in range(0, len(unused), ROWS_AT_ONCE):
        gone += Evaluation.objects.filter(pk__in=unused[first : first + ROWS_AT_ONCE]).delete()[0]
    return gone


def _unused_beyond_limit() -> list[int]:
    idle, taken, unused = clock.now() - IN_USE, 0, []
    rows = Evaluation.objects.order_by("-used_at", "-pk").values_list("pk", "queries_count", "used_at")
    for pk, queries, used in rows.iterator():
        taken += BYTES_A_ROW + BYTES_A_VALUE * queries
        if taken > settings.KEEP_ANALYSES_BYTES and used < idle:
            unused.append(pk)
    return unused
