from leaderboard.analyses.fields import Choice
from leaderboard.analyses.kinds import Kind
from leaderboard.analyses.shared.common_fields import ANNOUNCED, LABELS_UNORDERED
from leaderboard.analyses.track_results.analysis import analyse_results

KIND = Kind(
    "track_results",
    "Result tables",
    "Every run with its group, its details and its values, by task: the tables of an overview paper.",
    "runs, or announced runs with reported values",
    analyse_results,
    (
        LABELS_UNORDERED,
        Choice(
            "measures",
            "Measures",
            (("nDCG@10 NCG@100 AP", "nDCG@10 NCG@100 AP"), ("RR@10 nDCG@10", "RR@10 nDCG@10")),
            help="measures, separated by spaces; the first measure orders the runs of a group",
            option="--measures",
            free=True,
        ),
        Choice("task", "Task", help="only the runs of this task, such as passage"),
        Choice(
            "baselines",
            "Baselines",
            (("", "included"), ("without", "left out")),
            help="leave out baselines",
            option="--without-baselines",
            flag=True,
        ),
        Choice(
            "columns",
            "Details",
            help="details to show, separated by spaces (default: subtask neural stage dense)",
        ),
        ANNOUNCED,
    ),
    by_query_set=True,
    without_runs=True,
    has_figure=False,
    at_once=1000,
    by_description=True,
    works="Scoring runs",
    help="List every run with its group, its details and its values, one table per task, as the appendix of a "
    "track's overview does. Announced runs have the values that the track reported.",
    example="mine --announced --without-baselines --latex results.tex",
)
