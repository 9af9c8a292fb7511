from leaderboard.analyses.fields import SPLITS
from leaderboard.analyses.kinds import Asked, Kind
from leaderboard.analyses.shared.combinations import combinations_asked
from leaderboard.analyses.shared.common_fields import ALPHA, LABELS, MEASURES, QUERIES, SEED_FIELD
from leaderboard.analyses.split_halves.analysis import analyse_split_halves
from leaderboard.output import Analysis
from leaderboard.scoring.evaluation import Progress


def make(asked: Asked, progress: Progress | None) -> Analysis:
    splits, alpha = asked.number("splits"), asked.number("alpha")
    return analyse_split_halves(**combinations_asked(asked), splits=splits, alpha=alpha, progress=progress)


KIND = Kind(
    "split_halves",
    "Split halves",
    "How often random halves of the queries agree about two runs, test by test.",
    "two or more runs, and labels of four or more queries",
    make,
    (LABELS, MEASURES, QUERIES, SPLITS, ALPHA, SEED_FIELD),
    by_query_set=True,
    works="Splitting queries",
    help="Split the queries into random halves and compare every pair of runs in each, by mean and by median, "
    "with sign, rank-sum, signed-rank and t tests. Show how often the halves agree, partially agree and "
    "disagree. Repeating the same call is fast.",
    example="mine --qrels official @1 --csv halves.csv",
)
