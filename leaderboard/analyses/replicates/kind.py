from leaderboard.analyses.fields import Choice
from leaderboard.analyses.kinds import Kind
from leaderboard.analyses.replicates.analysis import analyse_replicate_boards

KIND = Kind(
    "replicate_boards",
    "Replicates",
    "What the board would have been under each of several complete sets of judgments.",
    "a campaign that was judged in two or more phases",
    analyse_replicate_boards,
    (
        Choice(
            "phases",
            "Phases (empty: all)",
            help="two or more phases, separated by spaces (default: all)",
            several=True,
        ),
        Choice(
            "ties",
            "Ties",
            (("", "as last resolved"), ("recount", "recount"), ("keep", "keep")),
            help="recount wins among tied passages, or keep all of them (default: as the campaign was last resolved)",
        ),
    ),
    of_campaign=True,
    help="For a campaign whose passages were judged more than once, in phases, derive the best answers of each "
    "phase alone. Show how much they overlap, and how well the boards under them agree.",
    example="duel --phases I II III --ties recount",
)
