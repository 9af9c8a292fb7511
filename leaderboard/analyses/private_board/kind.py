from leaderboard.analyses.kinds import Kind
from leaderboard.analyses.private_board.analysis import analyse_private_board
from leaderboard.analyses.shared.common_fields import ALPHA, MEASURE, ONE_LABELS

KIND = Kind(
    "private_board",
    "Private board",
    "Runs on public and private queries, and teams whose runs gain only on public queries.",
    "private queries",
    analyse_private_board,
    (ONE_LABELS, MEASURE, ALPHA),
    members_only=True,
    of_private=True,
    works="Scoring runs",
    help="Show runs on private and public queries side by side, and each team's gains over its first run on "
    "both. Warn if public gains exceed private gains by more than chance allows. "
    "The output is for the maintainers of the board, not for teams.",
    example="mine --qrels official --measure RR@10",
)
