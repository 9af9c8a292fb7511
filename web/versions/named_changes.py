"""Challenge plans and version previews with public ids instead of database keys."""

from collections.abc import Iterable, Sequence
from typing import Any

from pooling.models import Passage, Query
from tournament.services import ChallengePlan, QueryChange


def challenged_queries(plan: ChallengePlan, most: int) -> list[dict[str, Any]]:
    """Return the first challenged queries of a plan: ``qid``, pids of the best answers and of the challengers."""
    rows = [row for row in plan.rows if row.challenger_ids][:most]
    qids = _qid_by_key(row.query_id for row in rows)
    pid = _pid_by_key(key for row in rows for key in (*row.best_ids, *row.challenger_ids))
    return [
        {
            "qid": qids[row.query_id],
            "best": [pid[key] for key in row.best_ids],
            "challengers": [pid[key] for key in row.challenger_ids],
        }
        for row in rows
    ]


def named_changes(changes: Sequence[QueryChange]) -> list[dict[str, Any]]:
    """Return changes with qids and pids instead of keys."""
    qids = _qid_by_key(change.query for change in changes)
    pid = _pid_by_key(key for change in changes for key in (*change.before, *change.after))
    return [
        {
            "qid": qids[change.query],
            "what": str(change.what),
            "before": sorted(pid[key] for key in change.before),
            "after": sorted(pid[key] for key in change.after),
            "status_before": change.status_before,
            "status_after": change.status_after,
        }
        for change in changes
    ]


def _qid_by_key(keys: Iterable[int]) -> dict[int, str]:
    return dict(Query.objects.filter(pk__in=set(keys)).values_list("pk", "qid"))


def _pid_by_key(keys: Iterable[int]) -> dict[int, str]:
    return dict(Passage.objects.filter(pk__in=set(keys)).values_list("pk", "pid"))
