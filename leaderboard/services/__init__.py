"""Score runs and rank them under official and preference qrels."""

from leaderboard.services.board_output import board_analysis
from leaderboard.services.boards import PublishedBoard, as_dict, kept_leaderboard, leaderboard
from leaderboard.services.choosing import chosen_runs, official_set
from leaderboard.services.comparing import (
    Comparison,
    Question,
    chronological,
    compare,
    progress_over_time,
)
from leaderboard.services.comparison_output import comparison_analysis
from leaderboard.services.evaluating import evaluate
from leaderboard.services.facts import facts_of
from leaderboard.services.halves import split_halves
from leaderboard.services.labels import labels_named
from leaderboard.services.moves import RankMoves, rank_moves
from leaderboard.services.private_boards import private_board
from leaderboard.services.progress_output import progress_analysis
from leaderboard.services.score_output import score_analysis
from leaderboard.services.scoring import score, scores_as_dict
from leaderboard.services.stability import stability
from tournament.services.publishing import version_numbered

__all__ = [
    "Comparison",
    "PublishedBoard",
    "Question",
    "RankMoves",
    "as_dict",
    "board_analysis",
    "chosen_runs",
    "chronological",
    "compare",
    "comparison_analysis",
    "evaluate",
    "facts_of",
    "kept_leaderboard",
    "labels_named",
    "leaderboard",
    "official_set",
    "private_board",
    "progress_analysis",
    "progress_over_time",
    "rank_moves",
    "score",
    "score_analysis",
    "scores_as_dict",
    "split_halves",
    "stability",
    "version_numbered",
]
