"""Every analysis by name. To add one, create a package with a ``KIND`` and add a line here."""

from leaderboard.analyses.assessor_agreement.kind import KIND as ASSESSOR_AGREEMENT
from leaderboard.analyses.better_than_perfect.kind import KIND as BETTER_THAN_PERFECT
from leaderboard.analyses.board_agreement.kind import KIND as BOARD_AGREEMENT
from leaderboard.analyses.compare.kind import KIND as COMPARE
from leaderboard.analyses.harmless_order.kind import KIND as HARMLESS_ORDER
from leaderboard.analyses.judge_agreement.kind import KIND as JUDGE_AGREEMENT
from leaderboard.analyses.label_disagreement.kind import KIND as LABEL_DISAGREEMENT
from leaderboard.analyses.label_noise.kind import KIND as LABEL_NOISE
from leaderboard.analyses.near_duplicates.kind import KIND as NEAR_DUPLICATES
from leaderboard.analyses.pool_bias.kind import KIND as POOL_BIAS
from leaderboard.analyses.pool_sizes.kind import KIND as POOL_SIZES
from leaderboard.analyses.power.kind import KIND as POWER
from leaderboard.analyses.preference_grades.kind import KIND as PREFERENCE_GRADES
from leaderboard.analyses.private_board.kind import KIND as PRIVATE_BOARD
from leaderboard.analyses.progress.kind import KIND as PROGRESS
from leaderboard.analyses.query_spread.kind import KIND as QUERY_SPREAD
from leaderboard.analyses.replicates.kind import KIND as REPLICATES
from leaderboard.analyses.reusability.kind import KIND as REUSABILITY
from leaderboard.analyses.run_types.kind import KIND as RUN_TYPES
from leaderboard.analyses.split_halves.kind import KIND as SPLIT_HALVES
from leaderboard.analyses.stability.kind import KIND as STABILITY
from leaderboard.analyses.track_results.kind import KIND as TRACK_RESULTS
from leaderboard.analyses.track_statistics.kind import KIND as TRACK_STATISTICS
from leaderboard.analyses.two_boards.kind import KIND as TWO_BOARDS
from leaderboard.analyses.win_ratios.kind import KIND as WIN_RATIOS

#: In the order shown on pages.
KINDS = {
    kind.name: kind
    for kind in (
        STABILITY,
        SPLIT_HALVES,
        POWER,
        COMPARE,
        HARMLESS_ORDER,
        PROGRESS,
        PRIVATE_BOARD,
        BOARD_AGREEMENT,
        TWO_BOARDS,
        QUERY_SPREAD,
        WIN_RATIOS,
        BETTER_THAN_PERFECT,
        POOL_BIAS,
        POOL_SIZES,
        LABEL_DISAGREEMENT,
        ASSESSOR_AGREEMENT,
        PREFERENCE_GRADES,
        LABEL_NOISE,
        NEAR_DUPLICATES,
        REUSABILITY,
        JUDGE_AGREEMENT,
        REPLICATES,
        TRACK_STATISTICS,
        RUN_TYPES,
        TRACK_RESULTS,
    )
}
