from dataclasses import replace

from leaderboard.analyses.kinds import Kind
from leaderboard.analyses.label_disagreement.analysis import analyse_label_disagreement
from leaderboard.analyses.shared.common_fields import LABELS_UNORDERED, OTHER_LABELS

KIND = Kind(
    "label_disagreement",
    "Disagreement of labels",
    "Where two sets of labels disagree about the same passages: confusion matrix, Cohen's kappa, every passage.",
    "two sets of labels",
    analyse_label_disagreement,
    (
        LABELS_UNORDERED,
        replace(
            OTHER_LABELS,
            help="the other labels: a qrel set or @n (default: another qrel set, else the latest version)",
        ),
    ),
    of_runs=False,
    works="Comparing labels",
    help="Compare two sets of labels on the passages that both label: confusion of grades, passages that only one "
    "labels, Cohen's kappa of the grades and of relevance, and every disagreement by query and passage.",
    example="mine --qrels official --against graded --csv labels.csv",
)
