from leaderboard.analyses.fields import Choice
from leaderboard.analyses.kinds import Kind
from leaderboard.analyses.pool_sizes.analysis import analyse_pool_sizes

KIND = Kind(
    "pool_sizes",
    "Pool sizes",
    "How many passages there are to compare for each query, in one pool and over all queries.",
    "a pool",
    analyse_pool_sizes,
    (Choice("pool", "Pool", of="pools", help="name of the pool (default: the newest)"),),
    members_only=True,
    of_runs=False,
    help="Show how many queries have a pool of each size, as tables and a figure: for the queries of one pool, and "
    "for all queries of the collection with the same runs and qrels.",
    example="mine --pool tops --figure sizes.pdf",
)
