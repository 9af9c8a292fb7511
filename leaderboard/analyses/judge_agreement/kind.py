from leaderboard.analyses.judge_agreement.analysis import analyse_judge_agreement
from leaderboard.analyses.kinds import Asked, Kind
from leaderboard.analyses.shared.common_fields import SEED_FIELD
from leaderboard.output import Analysis
from leaderboard.scoring.evaluation import Progress


def make(asked: Asked, _: Progress | None) -> Analysis:
    return analyse_judge_agreement(campaign=asked.judged, seed=asked.number("seed"))


KIND = Kind(
    "judge_agreement",
    "Judges' agreement",
    "How well judges agree on pairs judged more than once, and whether they prefer a side.",
    "a judged campaign",
    make,
    (SEED_FIELD,),
    of_campaign=True,
    members_only=True,
    of_runs=False,
    help="Show the observed agreement P of judgments of the same pair, with an interval from resampling queries, "
    "and 2P - 1; how often the left side was preferred, overall and by each worker, with exact binomial tests.",
    example="spring --json",
)
