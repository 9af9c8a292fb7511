from leaderboard.analyses.assessor_agreement.analysis import analyse_assessor_agreement
from leaderboard.analyses.fields import Choice
from leaderboard.analyses.kinds import Kind

KIND = Kind(
    "assessor_agreement",
    "Agreement of assessors",
    "Whether two assessors give the same passage the same grade: confusion matrix, Cohen's kappa, disagreements.",
    "second opinions in a graded campaign",
    analyse_assessor_agreement,
    (Choice("graded", "Graded campaign", help="name of a graded campaign (default: the newest)"),),
    members_only=True,
    of_runs=False,
    works="Comparing grades",
    help="Compare the grades of a graded campaign with the second opinions on a sample of each topic: confusion of "
    "grades, Cohen's kappa of the grades and of relevance, and every disagreement by query and passage.",
    example="mine --graded graded --csv agreement.csv",
)
