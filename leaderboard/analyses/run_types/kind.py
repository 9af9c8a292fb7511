from leaderboard.analyses.fields import Choice
from leaderboard.analyses.kinds import Kind
from leaderboard.analyses.run_types.analysis import analyse_run_types
from leaderboard.analyses.shared.common_fields import MEASURE, ONE_LABELS, QUERY_SET, TYPES

KIND = Kind(
    "run_types",
    "Types of runs",
    "How runs of different types perform, and whether the best of one type wins on every query.",
    "runs with a type in their description, and labels",
    analyse_run_types,
    (
        ONE_LABELS,
        MEASURE,
        QUERY_SET,
        Choice(
            "by",
            "Type",
            TYPES,
            help="the detail that defines the types",
            free=True,
        ),
    ),
    by_query_set=True,
    by_description=True,
    works="Scoring runs",
    help="Show the best and the median run of every type, every run with its type, and the best run of each type "
    "against that of the others, query by query.",
    example="mine --by subtask --measure nDCG@10 --figure types.pdf",
)
