"""A cached summary of a pool's contents."""

from config import kept_objects
from pooling.models import Pool
from pooling.pools.pools import PoolSummary, pool_stats, without_text

DAY = 24 * 3600


def pool_summary(pool: Pool) -> PoolSummary:
    """Return a summary of the pool, cached for a day or until texts are fetched.

    New texts can show that passages are equal.
    """
    key = kept_objects.object_key("pool-stats", pool.pk, pool.created_at.timestamp(), without_text(pool))
    summary: PoolSummary | None = kept_objects.kept(key)
    if summary is None:
        summary = pool_stats(pool=pool)
        kept_objects.keep_object(key, summary, DAY)
    return summary
