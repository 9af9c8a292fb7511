from leaderboard.analyses.kinds import Kind
from leaderboard.analyses.pool_bias.analysis import analyse_pool_bias
from leaderboard.analyses.shared.common_fields import LEAVE_OUT

KIND = Kind(
    "pool_bias",
    "Pool bias",
    "How a run would rank if the pool had been built without it or its team.",
    "a judged campaign",
    analyse_pool_bias,
    (LEAVE_OUT,),
    of_campaign=True,
    works="Leaving out",
    help="Leave out each run in turn (or each team, with all of its runs), derive the best answers again "
    "without the passages that only it contributed to the pool, and compute the board again.",
    example="spring --by team --csv bias.csv",
)
