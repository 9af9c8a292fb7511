from leaderboard.analyses.fields import SPLITS
from leaderboard.analyses.kinds import Kind
from leaderboard.analyses.shared.common_fields import ALPHA, LABELS, MEASURES, QUERIES, SEED_FIELD
from leaderboard.analyses.split_halves.analysis import analyse_split_halves

KIND = Kind(
    "split_halves",
    "Split halves",
    "How often random halves of the queries agree about two runs, test by test.",
    "two or more runs, and labels of four or more queries",
    analyse_split_halves,
    (LABELS, MEASURES, QUERIES, SPLITS, ALPHA, SEED_FIELD),
    by_query_set=True,
    works="Splitting queries",
    help="Split the queries into random halves and compare every pair of runs in each, by mean and by median, "
    "with sign, rank-sum, signed-rank and t tests. Show how often the halves agree, partially agree and "
    "disagree. Results are cached.",
    example="mine --qrels official @1 --csv halves.csv",
)
