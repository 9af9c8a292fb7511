from leaderboard.analyses.compare.comparison import progress_over_time
from leaderboard.analyses.compare.comparison_question import QUESTION, question_asked
from leaderboard.analyses.kinds import Asked, Kind
from leaderboard.analyses.progress.analysis import progress_analysis
from leaderboard.output import Analysis
from leaderboard.scoring.evaluation import Progress


def make(asked: Asked, progress: Progress | None) -> Analysis:
    question = question_asked(asked)
    found = progress_over_time(
        collection=asked.collection, runs=asked.runs, question=question, progress=progress
    )
    return progress_analysis(found)


KIND = Kind(
    "progress",
    "The leaderboard over time",
    "Which runs were the state of the art when they arrived, and which of these steps were significant.",
    "runs and labels",
    make,
    QUESTION,
    by_query_set=True,
    at_once=1000,
    works="Scoring runs",
    help="Show every run's value by date of submission, the runs that were the state of the art when they arrived "
    "(from the first that beat the baselines), and the significant steps.",
    example="mine --qrels official --figure progress.svg",
)
