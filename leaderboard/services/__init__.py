"""Score runs and rank them under official and preference qrels."""

from leaderboard.services.boards import PublishedBoard, as_dict, kept_leaderboard, leaderboard
from leaderboard.services.choosing import chosen_runs, official_set
from leaderboard.services.evaluating import evaluate
from leaderboard.services.labels import labels_named, version_numbered
from leaderboard.services.scoring import score, scores_as_dict
from leaderboard.services.tables import board_csv

__all__ = [
    "PublishedBoard",
    "as_dict",
    "board_csv",
    "chosen_runs",
    "evaluate",
    "kept_leaderboard",
    "labels_named",
    "leaderboard",
    "official_set",
    "score",
    "scores_as_dict",
    "version_numbered",
]
