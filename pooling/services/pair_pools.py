"""Build pools of two passages per query, to compare a run with the known relevant passages."""

from collections.abc import Sequence
from typing import NamedTuple

from django.db import IntegrityError, transaction

from pooling.errors import AlreadyImported, PoolRefused
from pooling.formats import Progress
from pooling.models import Pool, PooledPassage, PoolRun, QrelSet, Run
from pooling.services import passages
from pooling.services.naming import check_name


class Duel(NamedTuple):
    """A query's known relevant passage, and the run's passage to compare it with."""

    qid: str
    qrel: str
    other: str
    qrel_on_top: bool


def build_pair_pool(
    *, name: str, run: Run, qrel_set: QrelSet, duels: Sequence[Duel], progress: Progress | None = None
) -> Pool:
    """Build a pool of the two passages of each duel, with their texts. Raises PoolRefused, AlreadyImported."""
    check_name(name)
    if not duels:
        raise PoolRefused("No query would be in the pool.", "Choose another run or another qrel set.")
    collection = run.collection
    found = passages.ensure(
        collection=collection,
        pids=(pid for duel in duels for pid in (duel.qrel, duel.other)),
        progress=progress,
    )
    keys = dict(collection.queries.values_list("qid", "pk"))
    try:
        with transaction.atomic():
            pool = Pool.objects.create(collection=collection, name=name, qrel_set=qrel_set, depth=2)
            PoolRun.objects.create(pool=pool, run=run)
            rows = []
            for duel in duels:
                on_top = {duel.qrel if duel.qrel_on_top else duel.other}
                rows += [
                    PooledPassage(
                        pool=pool,
                        query_id=keys[duel.qid],
                        passage=found[pid],
                        run_ids=[run.pk] if pid in on_top else [],
                        is_qrel=pid == duel.qrel,
                    )
                    for pid in (duel.qrel, duel.other)
                ]
            PooledPassage.objects.bulk_create(rows, batch_size=2000)
    except IntegrityError:
        if Pool.objects.filter(name=name).exists():
            raise AlreadyImported(f"A pool {name!r} already exists.", "Choose another name.") from None
        raise
    return pool
