from leaderboard.analyses.kinds import Kind
from leaderboard.analyses.near_duplicates.analysis import analyse_near_duplicates
from leaderboard.analyses.shared.common_fields import LABELS_UNORDERED, MEASURE

KIND = Kind(
    "near_duplicates",
    "Near-duplicates",
    "How many labels near-duplicates add, and how runs compare without them and with all of them.",
    "labels, and runs for the comparison",
    analyse_near_duplicates,
    (LABELS_UNORDERED, MEASURE),
    without_runs=True,
    works="Scoring runs",
    help="Count each query's labels by grade, with each class of near-duplicates counted once and with all of its "
    "passages, and compare runs without near-duplicates with runs as they are under expanded labels.",
    example="mine --qrels official --measure nDCG@10 --csv levels.csv",
)
