from leaderboard.analyses.kinds import Kind
from leaderboard.analyses.shared.common_fields import ANNOUNCED
from leaderboard.analyses.track_statistics.analysis import analyse_submissions

KIND = Kind(
    "track_statistics",
    "Submission statistics",
    "How many groups and runs of each type were submitted, by task.",
    "runs, or announced runs",
    analyse_submissions,
    (ANNOUNCED,),
    by_query_set=True,
    without_runs=True,
    has_figure=False,
    at_once=10_000,
    by_description=True,
    of_every_task=True,
    reads_labels=False,
    works="Counting runs",
    help="Count groups and runs by task and type, as table 1 of the overviews of TREC's Deep Learning tracks does. "
    "With --json, print only the counts by task.",
    example="mine --announced --latex table1.tex",
)
