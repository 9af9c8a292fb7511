from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice, pairwise
from typing import Any, NamedTuple

import numpy as np
from django.db import IntegrityError, transaction

from config.guidance import Action, Guidance, Option, TerminalOnly
from config.plurals import many
from pooling.collections.members import log
from pooling.collections.name_rules import check_name
from pooling.errors import AlreadyImported, PoolRefused
from pooling.files.formats import Progress
from pooling.models import Collection, Passage, Pool, PooledPassage, PoolRun, Qrel, QrelSet, Run
from pooling.passages import clusters, passages
from pooling.pools.pool_runs import RunCriteria, meeting
from pooling.rules import shallow
from pooling.rules.fractions import Fraction
from pooling.runs.runs import tops_of

Pools = dict[str, tuple[shallow.Candidate, ...]]


@dataclass(frozen=True)
class Choice:
    """The choice of a pool's queries, and how its runs and passages were chosen.

    The queries are those among ``qids`` (None: all) with at least ``min_size`` passages, or a sample of these.
    ``fraction``: before pooling, runs and qrels are reduced to one in this many passages of the corpus. ``priority``
    and ``round`` state how the runs were chosen (:func:`pooling.pools.pool_runs.runs_for_pool`).
    """

    qids: Sequence[str] | None = None
    sample: int | None = None
    seed: int | None = None
    min_size: int = 1
    fraction: int | None = None
    fraction_seed: int | None = None
    priority: int | None = None
    round: str = ""

    @property
    def criteria(self) -> RunCriteria:
        """The criteria by which the runs were chosen."""
        return RunCriteria(self.priority, self.round)

    @property
    def stated(self) -> dict[str, Any]:
        """The values that a pool stores: all but ``qids``, because the pool's passages show its queries."""
        return {name: value for name, value in asdict(self).items() if name != "qids"}

    @property
    def corpus(self) -> Fraction | None:
        """The fraction of the corpus, or None for all of it."""
        return None if self.fraction is None else Fraction(self.fraction, self.fraction_seed or 0)


def check_choice(choice: Choice, depth: int) -> None:
    """Raise PoolRefused for an invalid choice of queries, or an invalid depth."""
    if min(depth, choice.min_size, 1 if choice.sample is None else choice.sample) < 1:
        raise PoolRefused("The depth, the minimum size and the sample must be at least 1.")
    if choice.sample is not None and choice.seed is None:
        raise PoolRefused("A sample needs a seed, so that the same queries can be drawn again.")
    if choice.seed is not None and choice.seed < 0:
        raise PoolRefused("The seed must be 0 or more.")
    if choice.fraction is not None and (choice.fraction < 2 or (choice.fraction_seed or 0) < 0):
        raise PoolRefused("A fraction is one in n passages: n must be at least 2, and the seed at least 0.")
    choice.criteria.check()
    if choice.fraction is not None and choice.fraction_seed is None:
        raise PoolRefused("A fraction needs a seed, so that the same passages can be drawn again.")


def labeled_qids(qrel_set: QrelSet, qids: Sequence[str] | None = None) -> list[str]:
    """Return the qids with a relevant passage in the set; if ``qids`` is given, only those among them."""
    known = known_relevant(qrel_set)
    return [qid for qid in (known if qids is None else qids) if qid in known]


def build_pool(
    *,
    collection: Collection,
    name: str,
    runs: Sequence[Run],
    qrel_set: QrelSet | None = None,
    depth: int = 1,
    choice: Choice | None = None,
    who: str = "",
    progress: Progress | None = None,
) -> Pool:
    """Pool each run's top ``depth`` passages and each query's qrel, and fetch the texts that are missing.

    Sizes (``min_size``) count classes, so texts are fetched before small pools are left out. Raises PoolRefused,
    AlreadyImported.
    """
    choice = choice or Choice()
    check_name(name)
    check_choice(choice, depth)
    if Pool.objects.filter(name=name).exists():
        raise pool_name_taken(name)
    if not runs and qrel_set is None:
        raise _nothing_to_pool()
    pools = _pools_by_query(collection, runs, qrel_set, depth, choice)
    if choice.min_size == 1:
        pools = _sample_queries(pools, choice)
    pools = _with_canonical(collection, pools)
    pids = (candidate.pid for candidates in pools.values() for candidate in candidates)
    found = passages.ensure(collection=collection, pids=pids, progress=progress)
    if choice.min_size > 1:
        pools = {qid: pool for qid, pool in pools.items() if _count_texts(pool, found) >= choice.min_size}
        pools = _sample_queries(pools, choice)
    if not pools:
        raise PoolRefused(
            "No query would be in the pool.",
            Guidance("Choose more runs or queries, or a smaller ", Option("min-size"), "."),
        )
    pool = Pool(collection=collection, name=name, qrel_set=qrel_set, depth=depth, **choice.stated)
    with transaction.atomic():
        _store_pool(pool, runs, pools, found)
        log(collection, f"pool {name} of {many(len(pools), 'query', 'queries')} built", who=who)
    return pool


class Duel(NamedTuple):
    """A query's known relevant passage, and the run's passage to compare it with.

    ``qrel_on_top``: True if the run's top passage is the known relevant one, False if it is ``other``.
    """

    qid: str
    qrel: str
    other: str
    qrel_on_top: bool


def build_pair_pool(*, name: str, run: Run, qrel_set: QrelSet, duels: Sequence[Duel]) -> Pool:
    """Build a pool of the two passages of each duel, with their texts. Raises PoolRefused, AlreadyImported."""
    check_name(name)
    if not duels:
        raise PoolRefused("No query would be in the pool.", "Choose another run or another qrel set.")
    pids = (pid for duel in duels for pid in (duel.qrel, duel.other))
    found = passages.ensure(collection=run.collection, pids=pids)
    on_top: tuple[int, ...] = (0,)
    below: tuple[int, ...] = ()
    pools: Pools = {
        duel.qid: (
            shallow.Candidate(duel.qrel, on_top if duel.qrel_on_top else below, is_qrel=True),
            shallow.Candidate(duel.other, below if duel.qrel_on_top else on_top, is_qrel=False),
        )
        for duel in duels
    }
    pool = Pool(collection=run.collection, name=name, qrel_set=qrel_set, depth=2)
    _store_pool(pool, [run], pools, found)
    return pool


def _nothing_to_pool() -> PoolRefused:
    named = ("Name runs", TerminalOnly(" with --runs"), ", or import some: ")
    return PoolRefused("A pool needs runs or a qrel set.", Guidance(*named, Action("import_runs", lead="")))


def _pools_by_query(
    collection: Collection,
    runs: Sequence[Run],
    qrel_set: QrelSet | None,
    depth: int,
    choice: Choice,
) -> Pools:
    """Return qid → pool for the chosen queries, in the collection's order; queries without passages are left out."""
    qids = list(collection.queries.order_by("position").values_list("qid", flat=True))
    if choice.qids is not None:
        refuse_unknown_queries(collection, choice.qids, qids)
        wanted = set(choice.qids)
        qids = [qid for qid in qids if qid in wanted]
    qrels = {} if qrel_set is None else known_relevant(qrel_set)
    tops = list(_tops_of_runs(collection, runs, depth, choice.corpus))
    if (corpus := choice.corpus) is not None:
        relevant = _within_corpus(collection, corpus, {qid: (pid,) for qid, pid in qrels.items()}, 1)
        qrels = {qid: pid for qid, held in relevant.items() for pid in held}
    pools = {qid: shallow.pool_query([top.get(qid, ()) for top in tops], qrels.get(qid)) for qid in qids}
    return {qid: pool for qid, pool in pools.items() if pool}


def refuse_unknown_queries(collection: Collection, wanted: Iterable[str], known: Iterable[str]) -> None:
    """Raise PoolRefused for queries that the collection does not have."""
    if unknown := sorted(set(wanted) - set(known)):
        raise PoolRefused(f"Queries {', '.join(unknown[:20])} are not in {collection.name}.")


def _within_corpus(
    collection: Collection, corpus: Fraction, found: Mapping[str, Sequence[str]], depth: int
) -> dict[str, tuple[str, ...]]:
    """Return the first ``depth`` pids of each query that are in a fraction of the corpus.

    A near-duplicate is in the fraction if its canonical passage is.
    """
    pids = {pid for ranked in found.values() for pid in ranked}
    canonical = clusters.canonical_of(collection, pids)
    held = {pid for pid in pids if corpus.holds(canonical.get(pid, pid))}
    return {qid: tuple(islice(filter(held.__contains__, ranked), depth)) for qid, ranked in found.items()}


def pooled_tops(pool: Pool) -> Iterator[dict[str, tuple[str, ...]]]:
    """Yield, for each run of a pool, qid → the pids that it supplied, best first, within the pool's fraction."""
    runs = [one.run for one in PoolRun.objects.filter(pool=pool).select_related("run").order_by("pk")]
    corpus = Choice(fraction=pool.fraction, fraction_seed=pool.fraction_seed).corpus
    return _tops_of_runs(pool.collection, runs, pool.depth, corpus)


def _tops_of_runs(
    collection: Collection, runs: Sequence[Run], depth: int, corpus: Fraction | None
) -> Iterator[dict[str, tuple[str, ...]]]:
    """Yield, for each run, qid → its top ``depth`` pids in the corpus. Only one ranking is in memory at a time."""
    for run in runs:
        if corpus is None:
            yield tops_of(run, depth)
        else:
            yield _within_corpus(collection, corpus, tops_of(run, None), depth)


def _with_canonical(collection: Collection, pools: Pools) -> Pools:
    """Add the canonical passage of each near-duplicate to the pool of its query, without a supplying run."""
    pids = {candidate.pid for candidates in pools.values() for candidate in candidates}
    canonical = clusters.canonical_of(collection, sorted(pids))
    if not canonical:
        return pools
    whole = {}
    for qid, candidates in pools.items():
        there = {candidate.pid for candidate in candidates}
        wanted = dict.fromkeys(canonical[pid] for pid in sorted(there) if pid in canonical)
        added = (shallow.Candidate(pid, (), is_qrel=False) for pid in wanted if pid not in there)
        whole[qid] = (*candidates, *added)
    return whole


def known_relevant(qrel_set: QrelSet) -> dict[str, str]:
    """Return qid → pid of the query's known relevant passage, which pools contain as its qrel."""
    labels = Qrel.objects.filter(qrel_set=qrel_set).order_by("position")
    return shallow.one_relevant_each(
        labels.values_list("query__qid", "passage__pid", "grade").iterator(), qrel_set.min_grade
    )


def _sample_queries(pools: Pools, choice: Choice) -> Pools:
    if choice.sample is None:
        return pools
    drawn = shallow.draw_queries(list(pools), choice.sample, np.random.default_rng(choice.seed))
    return {qid: pools[qid] for qid in drawn}


def _count_texts(pool: Sequence[shallow.Candidate], found: Mapping[str, Passage]) -> int:
    return shallow.count_classes(found[candidate.pid].class_key for candidate in pool)


def _store_pool(pool: Pool, runs: Sequence[Run], pools: Pools, found: Mapping[str, Passage]) -> None:
    """Save a new pool with its runs and passages, all or nothing. Raises AlreadyImported."""
    try:
        with transaction.atomic():
            pool.save()
            _save_pool_rows(pool, runs, pools, found)
    except IntegrityError:
        if Pool.objects.filter(name=pool.name).exists():
            raise AlreadyImported(f"A pool {pool.name!r} already exists.", "Choose another name.") from None
        raise


def _save_pool_rows(pool: Pool, runs: Sequence[Run], pools: Pools, found: Mapping[str, Passage]) -> None:
    criteria = RunCriteria(pool.priority, pool.round)
    met = {run.pk for run in meeting(pool.collection, runs, criteria)}
    PoolRun.objects.bulk_create(
        PoolRun(pool=pool, run=run, priority=run.priority, named=run.pk not in met) for run in runs
    )
    query_keys = dict(pool.collection.queries.values_list("qid", "pk"))
    rows = (
        PooledPassage(
            pool=pool,
            query_id=query_keys[qid],
            passage=found[candidate.pid],
            run_ids=[runs[index].pk for index in candidate.runs],
            is_qrel=candidate.is_qrel,
        )
        for qid, candidates in pools.items()
        for candidate in candidates
    )
    PooledPassage.objects.bulk_create(rows, batch_size=2000)


@dataclass(frozen=True)
class PoolSummary:
    """A pool's statistics, with the passages that each run and the qrels supplied."""

    stats: shallow.PoolStats
    runs: Mapping[str, shallow.Contribution]
    """Run tag → numbers of passages that the run supplied."""
    qrel: shallow.Contribution
    pooled: int
    """Number of passages in the pool. The statistics count passages with the same text, and near-duplicates, once."""
    canonical_added: int
    """Number of passages that no run and no qrel supplied: canonical passages of near-duplicates in the pool."""
    apart: tuple[str, ...]
    """Tags of runs that share no passage with the other sources."""


def pool_stats(*, pool: Pool, prices: shallow.Prices | None = None) -> PoolSummary:
    """Return a pool's statistics, with the cost of judging it."""
    keys: dict[int, list[str]] = {}
    brought: list[list[int]] = []
    qrel_added = 0
    rows = PooledPassage.objects.filter(pool=pool).order_by("query__position", "pk")
    for query, key, run_ids, is_qrel in rows.values_list(
        "query_id", "passage__class_key", "run_ids", "is_qrel"
    ):
        keys.setdefault(query, []).append(key)
        brought.append(run_ids + [0] * is_qrel)  # no run has the key 0, so it stands for the qrel
        qrel_added += is_qrel and not run_ids
    sizes = [shallow.count_classes(of_query) for of_query in keys.values()]
    found = shallow.contributions(brought)
    nothing = shallow.Contribution(0, 0)
    shared = (pair for sources in brought for pair in pairwise(sources))
    apart = set(shallow.sources_apart({one: count.passages for one, count in found.items()}, shared))
    runs = Run.objects.filter(pk__in=PoolRun.objects.filter(pool=pool).values("run")).order_by("run_tag")
    return PoolSummary(
        shallow.stats_of_sizes(sizes, qrel_added, prices or shallow.Prices()),
        {run.run_tag: found.get(run.pk, nothing) for run in runs},
        found.get(0, nothing),
        len(brought),
        sum(not sources for sources in brought),
        tuple(run.run_tag for run in runs if run.pk in apart),
    )


def pool_name_taken(name: str) -> AlreadyImported:
    """Return the error for a new pool with a name that another pool already has."""
    return AlreadyImported(
        f"A pool {name!r} already exists.", Guidance("Choose another name with ", Option("pool"), ".")
    )


def without_text(pool: Pool) -> int:
    """Return the number of the pool's passages without a text."""
    rows = PooledPassage.objects.filter(pool=pool, passage__text__isnull=True)
    return rows.values("passage").distinct().count()
