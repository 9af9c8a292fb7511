from leaderboard.analyses.fields import Choice, Number
from leaderboard.analyses.kinds import Kind
from leaderboard.analyses.reusability.analysis import analyse_reusability
from leaderboard.analyses.reusability.compared_labels import compared_labels
from leaderboard.analyses.shared.common_fields import LABELS_UNORDERED, LEAVE_OUT, MEASURE

KIND = Kind(
    "reusability",
    "Reusability",
    "Whether labels can score runs that did not contribute to them: density, unjudged passages, left-out runs.",
    "labels, and runs for more than the density",
    analyse_reusability,
    (
        LABELS_UNORDERED,
        MEASURE,
        Choice(
            "against",
            "Compare density with",
            help="labels with which to compare the density: a qrel set, @n, or NAME/SET of a published collection",
        ),
        LEAVE_OUT,
        Number(
            "depth",
            "Pool depth",
            10,
            1,
            1000,
            "a run contributes the labels of its passages down to this rank",
        ),
    ),
    without_runs=True,
    check=compared_labels,
    works="Leaving out",
    help="Show the density of relevant passages for every query, the relevant passages by source and how soon they "
    "were found (only for labels of a graded campaign), the unjudged passages among each run's first ten, "
    "how many judgments near-duplicates save, and each run's value and rank without the labels that only it (or its "
    "team) contributed. For preference judgments, see the analysis of pool bias, which derives best answers again.",
    example="mine --qrels official --measure nDCG@10 --json",
)
