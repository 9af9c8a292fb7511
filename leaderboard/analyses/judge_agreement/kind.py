from leaderboard.analyses.judge_agreement.analysis import analyse_judge_agreement
from leaderboard.analyses.kinds import Kind
from leaderboard.analyses.shared.common_fields import SEED_FIELD

KIND = Kind(
    "judge_agreement",
    "Judges' agreement",
    "How well judges agree on pairs judged more than once, and whether they prefer a side.",
    "a judged campaign",
    analyse_judge_agreement,
    (SEED_FIELD,),
    of_campaign=True,
    members_only=True,
    of_runs=False,
    help="Show the observed agreement P of judgments of the same pair, with an interval from resampling queries, "
    "and 2P - 1; how often the left side was preferred, overall and by each worker, with exact binomial tests.",
    example="spring --json",
)
