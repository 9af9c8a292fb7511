"""Creates rows for tests of several rooms."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path

import numpy as np
import polars as pl
from django.contrib.auth.models import User
from django.core.files.storage import storages

from config import clock
from pooling.collections.spending_grants import grant_spending
from pooling.files.ranking import Ranking, write_ranking
from pooling.models import Collection, Passage, Qrel, QrelSet, Query, Run, SpendingGrant, Team, TeamMember


def grant_to(amount: int = 2000, **to) -> SpendingGrant:
    """Create a grant to spend ``amount`` dollars today, for a ``person`` or a ``collection``."""
    day = clock.now().date()
    return grant_spending(**to, amount=Decimal(amount), last_day=day, who="administrator")


def add_to_team(team: Team, user: User) -> TeamMember:
    """Make a person a submitter of the team, as accepting an invitation does."""
    return TeamMember.objects.create(collection=team.collection, user=user, team=team)


def make_collection(name: str, qids: Sequence[str], **details) -> Collection:
    """Create a collection with these queries in this order."""
    collection = Collection.objects.create(name=name, **details)
    Query.objects.bulk_create(
        Query(collection=collection, qid=qid, text=f"what is {qid}?", position=place)
        for place, qid in enumerate(qids)
    )
    return collection


def make_run(collection: Collection, run_tag: str, ranked: Mapping[str, Sequence[str]], **details) -> Run:
    """Store a run as an import does; ``ranked``: qid → pids, best first."""
    qids = sorted(ranked, key=lambda qid: -len(ranked[qid]))
    depth = max((len(pids) for pids in ranked.values()), default=0)
    rank_first = [ranked[qid][rank] for rank in range(depth) for qid in qids if rank < len(ranked[qid])]
    spelling = list(dict.fromkeys(rank_first))
    code = {pid: number for number, pid in enumerate(spelling)}
    passages = np.array([code[pid] for pid in rank_first], dtype=np.int32)
    lengths = np.array([len(ranked[qid]) for qid in qids], dtype=np.int64)
    pids: pl.Series | None = pl.Series("pid", spelling, dtype=pl.String)
    if all(pid.isdigit() and str(int(pid)) == pid for pid in spelling):
        # As in an import: plain decimal numbers are their own codes.
        passages, pids = np.array([int(pid) for pid in rank_first], dtype=np.int64), None
    sha256 = hashlib.sha256(repr((run_tag, ranked)).encode()).hexdigest()
    path = Path(storages["runs"].path(f"{sha256}.parquet"))
    path.parent.mkdir(parents=True, exist_ok=True)
    write_ranking(Ranking(tuple(qids), lengths, depth, passages, None, pids), path)
    values = {
        "format": Run.Format.TREC,
        "order": Run.Order.SCORE,
        "sha256": sha256,
        "parser_version": 1,
        "storage_name": path.name,
    }
    return Run.objects.create(collection=collection, run_tag=run_tag, **(values | details))


def passages_of(
    collection: Collection, pids: Sequence[str], new: Callable[[str], Passage] | None = None
) -> dict[str, Passage]:
    """Return pid → passage of the collection; ``new`` creates missing ones, in this order."""
    known = {one.pid: one for one in Passage.objects.filter(collection=collection, pid__in=pids)}
    made = [pid for pid in dict.fromkeys(pids) if pid not in known]
    rows = [new(pid) if new else Passage(collection=collection, pid=pid) for pid in made]
    return known | {one.pid: one for one in Passage.objects.bulk_create(rows)}


def make_qrels(
    collection: Collection, name: str, labels: Sequence[tuple[str, str, int]], **details
) -> QrelSet:
    """Create a qrel set from (qid, pid, grade) in file order, and missing passages."""
    sha256 = hashlib.sha256(repr(labels).encode()).hexdigest()
    qrel_set = QrelSet.objects.create(collection=collection, name=name, sha256=sha256, **details)
    queries = {query.qid: query for query in Query.objects.filter(collection=collection)}
    passages = passages_of(collection, [pid for _, pid, _ in labels])
    Qrel.objects.bulk_create(
        Qrel(qrel_set=qrel_set, query=queries[qid], passage=passages[pid], grade=grade, position=place)
        for place, (qid, pid, grade) in enumerate(labels)
    )
    return qrel_set
