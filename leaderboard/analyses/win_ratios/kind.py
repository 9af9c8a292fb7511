from leaderboard.analyses.kinds import Kind
from leaderboard.analyses.shared.common_fields import ALPHA, OFFICIAL
from leaderboard.analyses.win_ratios.analysis import analyse_win_ratios

KIND = Kind(
    "win_ratios",
    "Win ratios",
    "How often one run's top passage was preferred to another's, for every pair of runs of a pool.",
    "a judged campaign and a qrel set",
    analyse_win_ratios,
    (OFFICIAL, ALPHA),
    of_campaign=True,
    help="Show how often one run's top passage was preferred to another's, for every pair of runs in a campaign's "
    "pool and the perfect run, over the queries whose tops differ and were judged. Exact binomial tests, "
    "Bonferroni-corrected over all pairs. Runs that only challenged are not comparable.",
    example="spring --latex ratios.tex --figure ratios.pdf",
)
