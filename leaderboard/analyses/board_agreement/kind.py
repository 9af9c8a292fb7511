from leaderboard.analyses.board_agreement.analysis import analyse_board_agreement
from leaderboard.analyses.fields import Choice
from leaderboard.analyses.kinds import Asked, Kind
from leaderboard.analyses.shared.common_fields import OFFICIAL, SEED_FIELD
from leaderboard.errors import WrongSetting
from leaderboard.output import Analysis
from leaderboard.scoring.chosen_runs import official_set
from leaderboard.scoring.evaluation import Progress
from tournament.services.publishing import version_numbered


def make(asked: Asked, progress: Progress | None) -> Analysis:
    number = asked.text("version")
    if number and not number.isdecimal():
        raise WrongSetting(f"The version cannot be {number[:20]!r}.", "Enter the number of a version.")
    return analyse_board_agreement(
        collection=asked.collection,
        version=version_numbered(asked.collection, int(number) if number else None),
        official=official_set(asked.collection, asked.text("official") or None),
        runs=asked.runs,
        seed=asked.number("seed"),
        progress=progress,
    )


KIND = Kind(
    "board_agreement",
    "Board agreement",
    "The board under official and preference qrels side by side, and how well the two agree.",
    "a published version and a qrel set",
    make,
    (
        Choice("version", "Version", of="versions", help="number of the version (default: the latest)"),
        OFFICIAL,
        SEED_FIELD,
    ),
    works="Scoring runs",
    help="Show MRR@10 under a qrel set and a version of the preference qrels, side by side: 95% intervals, "
    "moves in rank, Kendall's tau-b and tau_AP, the board of these queries against the board of all, "
    "which qrels win their pairs, and how many judged pairs each run orders as people did.",
    example="mine --version 1 --figure boards.pdf --markdown boards.md",
)
