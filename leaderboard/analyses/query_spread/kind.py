from leaderboard.analyses.kinds import Kind
from leaderboard.analyses.query_spread.analysis import analyse_query_spread
from leaderboard.analyses.shared.common_fields import MEASURE, ONE_LABELS, QUERY_SET

KIND = Kind(
    "query_spread",
    "Spread on each query",
    "How the values of all runs spread on each query, and which queries are saturated.",
    "runs and labels",
    analyse_query_spread,
    (ONE_LABELS, MEASURE, QUERY_SET),
    by_query_set=True,
    works="Scoring runs",
    help="Show the lowest and highest value, quartiles, median and mean over all runs for each query, sorted by "
    "median, how many queries have a median at the highest value, and a box for each query.",
    example="mine --qrels official --measure NCG@100 --figure spread.pdf --csv spread.csv",
)
