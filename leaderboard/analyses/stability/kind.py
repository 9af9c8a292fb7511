from leaderboard.analyses.fields import TRIALS
from leaderboard.analyses.kinds import Kind
from leaderboard.analyses.shared.common_fields import LABELS, MEASURES, QUERIES, SEED_FIELD
from leaderboard.analyses.stability.analysis import analyse_stability

KIND = Kind(
    "stability",
    "Stability of ranks",
    "How stable each rank is if the queries are resampled: expected ranks, the top five, and a figure.",
    "runs and labels",
    analyse_stability,
    (LABELS, MEASURES, QUERIES, TRIALS, SEED_FIELD),
    by_query_set=True,
    works="Scoring runs",
    help="Show every run's ranks if the queries are resampled: expected ranks, the middle 95%, the top five and a"
    " figure, for each combination of labels, public or private queries, and measure. Results are cached.",
    example='mine --qrels official @1 --measures "RR@10 nDCG@10" --figure ranks.pdf',
)
