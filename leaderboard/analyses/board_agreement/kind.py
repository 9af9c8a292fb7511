from leaderboard.analyses.board_agreement.analysis import analyse_board_agreement
from leaderboard.analyses.fields import Choice
from leaderboard.analyses.kinds import Kind
from leaderboard.analyses.shared.common_fields import OFFICIAL, SEED_FIELD

KIND = Kind(
    "board_agreement",
    "Board agreement",
    "The board under official and preference qrels side by side, and how well the two agree.",
    "a published version and a qrel set",
    analyse_board_agreement,
    (
        Choice("version", "Version", of="versions", help="number of the version (default: the latest)"),
        OFFICIAL,
        SEED_FIELD,
    ),
    works="Scoring runs",
    help="Show MRR@10 under a qrel set and a version of the preference qrels, side by side: 95% intervals, "
    "moves in rank, Kendall's tau-b and tau_AP, the board on these queries against the board on all queries, "
    "how often qrels win their pairs, and how many judged pairs each run orders as people did.",
    example="mine --version 1 --figure boards.pdf --markdown boards.md",
)
