from leaderboard.analyses.fields import TRIALS, Choice, Number
from leaderboard.analyses.kinds import Kind
from leaderboard.analyses.label_noise.analysis import analyse_label_noise
from leaderboard.analyses.shared.common_fields import SEED_FIELD

KIND = Kind(
    "label_noise",
    "Label noise",
    "How much of the board depends on who happened to judge, and how much on the choice of queries.",
    "a judged campaign",
    analyse_label_noise,
    (
        Choice("reference", "Differences from", of="runs", help="tag of a run (default: the best)"),
        Choice("official", "Perfect run of", of="sets", help="also show the perfect run of this qrel set"),
        Number(
            "error",
            "Chance of a wrong judgment",
            None,
            0,
            0.4999,
            "chance that a judgment is wrong (default: implied by the agreement of the judges)",
        ),
        TRIALS,
        SEED_FIELD,
    ),
    of_campaign=True,
    works="Resampling judgments",
    help="Show MRR@10 under a campaign's best answers with two kinds of 95% intervals: queries resampled, and "
    "queries and judgments resampled (by worker if known) with the best answers derived again. Also paired "
    "intervals for differences from one run, and the simulated chance that a best answer is right.",
    example="spring --reference bm25 --error 0.2 --figure noise.pdf",
)
