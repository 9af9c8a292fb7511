from leaderboard.analyses.fields import Choice, Number
from leaderboard.analyses.kinds import Kind
from leaderboard.analyses.power.analysis import analyse_power
from leaderboard.analyses.power.computation import POWER
from leaderboard.analyses.shared.common_fields import ALPHA, MEASURE, ONE_LABELS, QUERY_SET

KIND = Kind(
    "power",
    "Statistical power",
    "The smallest differences between runs that these queries can show, and how many queries other differences need.",
    "two or more runs, and labels of two or more queries",
    analyse_power,
    (
        ONE_LABELS,
        MEASURE,
        QUERY_SET,
        ALPHA,
        Number("power", "Power", POWER, 0.5, 0.99, "probability of finding the difference"),
        Number(
            "difference", "Difference", None, 0.0001, 1, "also show the queries needed for this difference"
        ),
        Choice("run", "Run", of="runs", help="a run of the pair shown (default: the best)"),
        Choice("against", "Against", of="runs", help="the other run of the pair (default: the next best)"),
    ),
    by_query_set=True,
    works="Scoring runs",
    help="Show the smallest true difference in the mean that a paired t-test finds with the chosen power, given "
    "these queries and runs: for the board, one pair at a time and all pairs at once, for a chosen pair, and for "
    "other numbers of queries; and the number of queries that a difference needs.",
    example="mine --measure nDCG@10 --difference 0.03 --figure power.pdf",
)
