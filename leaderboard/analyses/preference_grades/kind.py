from leaderboard.analyses.fields import Choice
from leaderboard.analyses.kinds import Kind
from leaderboard.analyses.preference_grades.analysis import analyse_preference_grades

KIND = Kind(
    "preference_grades",
    "Preference against grade",
    "Whether the preferred passage of a pair has the higher grade, by the difference between the two grades.",
    "a judged campaign and graded labels",
    analyse_preference_grades,
    (
        Choice(
            "grades",
            "Graded labels",
            of="sets",
            help="a qrel set (default: the newest graded one of passages, else the leaderboard's)",
        ),
    ),
    of_campaign=True,
    members_only=True,
    of_runs=False,
    has_figure=False,
    help="Show how often the preferred passage has the higher grade, in judgments of pairs whose passages both have "
    "a grade, by the difference of the grades, with intervals.",
    example="first --grades graded --csv preference.csv",
)
