"""Sizes of the queries' pools: for the queries of one pool, and for all queries of the collection."""

from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.pool_sizes.computation import SizeCounts, size_counts
from leaderboard.analyses.pool_sizes.figure import Sides, sizes_figure
from leaderboard.errors import NothingToScore
from leaderboard.output import Analysis, Column, Facts, Kind, Row, Table
from leaderboard.scoring.evaluation import Progress
from leaderboard.scoring.score_facts import scoring_facts
from pooling.models import Collection, Pool, PooledPassage, PoolRun, Run
from pooling.pools.pool_plans import MOST_DEPTH, plan_pool
from pooling.rules.shallow import count_classes

EVERYTHING = "all queries"


def pool_or_newest(collection: Collection, name: str) -> Pool:
    """Return the collection's pool with this name (default: its newest). Raises NothingToScore if there is none."""
    pools = Pool.objects.filter(collection=collection).select_related("qrel_set").order_by("-pk")
    found = pools.filter(name=name).first() if name else pools.first()
    if found is None:
        words = (
            f"{collection.name} has no pool {name[:100]!r}." if name else f"{collection.name} has no pool."
        )
        raise NothingToScore(words, "Choose another pool." if name else "Build a pool.")
    return found


def analyse_pool_sizes(asked: Asked, _: Progress | None) -> Analysis:
    """Count queries by the size of their pool, in the chosen pool and over all queries of the collection.

    Raises NothingToScore if the collection has no such pool, or if the pool is empty.
    """
    pool = pool_or_newest(asked.collection, asked.text("pool"))
    sizes = _sizes_by_query(pool)
    runs = _runs_of_pool(pool)
    everything = _sizes_over_all_queries(pool, runs)
    counts = size_counts(sizes.values())
    if not counts.total:
        raise NothingToScore(f"The pool {pool.name} is empty.", "Choose another pool.")
    sides: Sides = [*([(EVERYTHING, everything)] if everything else []), (f"queries of {pool.name}", counts)]
    labels = [] if pool.qrel_set is None else [pool.qrel_set.name]
    further = (("pool", pool.name), ("depth", str(pool.depth)))
    facts = scoring_facts(
        pool.collection, runs, labels, "pool sizes", counts.total, seed=pool.seed, further=further
    )
    data = _size_table(sides, facts)
    return Analysis(
        facts=facts,
        tables=(data, _query_size_table(sizes, facts)),
        figures=(sizes_figure(sides, facts, data),),
        sentences=tuple(
            f"{title[:1].upper()}{title[1:]} ({counted.total:,}): {counted.mean:.2f} passages each on average, "
            f"{counted.pairs:,} pairs."
            for title, counted in sides
        ),
    )


def _sizes_by_query(pool: Pool) -> dict[str, int]:
    """Return qid → number of classes of passages in the query's pool, in the order of queries."""
    keys: dict[str, list[str]] = {}
    rows = PooledPassage.objects.filter(pool=pool).order_by("query__position", "pk")
    for qid, key in rows.values_list("query__qid", "passage__class_key"):
        keys.setdefault(qid, []).append(key)
    return {qid: count_classes(of_query) for qid, of_query in keys.items()}


def _runs_of_pool(pool: Pool) -> list[Run]:
    return list(
        Run.objects.filter(pk__in=PoolRun.objects.filter(pool=pool).values("run")).order_by("run_tag")
    )


def _sizes_over_all_queries(pool: Pool, runs: list[Run]) -> SizeCounts | None:
    """Count all queries of the collection by the size that their pool would have with the same runs and depth.

    Returns None if the pool's runs are unknown or the pool is too deep to compute.
    """
    if not runs or pool.depth > MOST_DEPTH:
        return None
    plan = plan_pool(collection=pool.collection, runs=runs, qrel_set=pool.qrel_set, depth=pool.depth)
    return size_counts(plan.sizes.tolist())


def _size_table(sides: Sides, facts: Facts) -> Table:
    sizes = sorted({size for _, counts in sides for size in counts.queries})
    rows = tuple(
        Row(
            {"size": size}
            | {
                key: value
                for place, (_, counts) in enumerate(sides)
                for key, value in (
                    (f"queries_{place}", counts.queries.get(size, 0)),
                    (f"share_{place}", counts.share(size)),
                )
            }
        )
        for size in sizes
    )
    columns = [Column("size", "passages", Kind.COUNT)]
    for place, (title, _) in enumerate(sides):
        columns.append(Column(f"queries_{place}", "queries", Kind.COUNT, title))
        columns.append(Column(f"share_{place}", "share", Kind.SHARE, title))
    caption = (
        "Queries by the number of passages in their pool (Arabzadeh et al. 2022, figures 3 and 4). In the pool, "
        "equal texts and near-duplicates count once; over all queries, each passage counts, because texts may be "
        "unknown."
    )
    return Table("sizes", "Pool sizes", caption, tuple(columns), rows, facts)


def _query_size_table(sizes: dict[str, int], facts: Facts) -> Table:
    rows = tuple(
        Row({"qid": qid, "size": size, "pairs": size * (size - 1) // 2}) for qid, size in sizes.items()
    )
    columns = (
        Column("qid", "query"),
        Column("size", "passages", Kind.COUNT),
        Column("pairs", "pairs", Kind.COUNT),
    )
    caption = "Passages in each query's pool; equal texts and near-duplicates count once."
    return Table("queries", "Pool sizes query by query", caption, columns, rows, facts)
