from dataclasses import replace

from leaderboard.analyses.fields import Choice, Number
from leaderboard.analyses.kinds import Kind
from leaderboard.analyses.shared.common_fields import MEASURE, ONE_LABELS, OTHER_LABELS, TYPES
from leaderboard.analyses.two_boards.analysis import analyse_two_boards
from leaderboard.analyses.two_boards.computation import PERSISTENCE

OTHER_MEASURE = Choice(
    "against_measure",
    "Other measure",
    (("", "the same measure"), *MEASURE.options),
    help="the measure of the second board (default: the same)",
    option="--against-measure",
    free=True,
)
PERSISTENCE_FIELD = Number(
    "p",
    "RBO's p",
    PERSISTENCE,
    0.01,
    0.999,
    "persistence of RBO; smaller values give more weight to the first ranks",
)


HIGHLIGHT = Choice(
    "highlight",
    "Highlighted run",
    of="runs",
    help="runs to name in the figure, with the others in gray (default: the top runs and the runs that move most)",
    several=True,
)
BY = Choice(
    "by",
    "Color by",
    (("", "nothing"), *TYPES),
    help="the detail of runs that color and shape show in the figure, such as subtask",
    free=True,
)


KIND = Kind(
    "two_boards",
    "Two boards",
    "How well any two boards of the same runs agree: two qrel sets, two versions or two measures.",
    "runs, and two sets of labels or two measures",
    analyse_two_boards,
    (
        ONE_LABELS,
        MEASURE,
        replace(OTHER_LABELS, help=f"{OTHER_LABELS.help}; name the same labels to compare two measures"),
        OTHER_MEASURE,
        PERSISTENCE_FIELD,
        HIGHLIGHT,
        BY,
    ),
    by_description=True,
    works="Scoring runs",
    help="Compare two boards of the same runs, under two sets of labels or by two measures: Kendall's tau-b, "
    "tau_AP in both directions, rank-biased overlap, the runs that move most, and one board against the other "
    "as a figure.",
    example="mine --qrels official --measure nDCG@10 --against official --against-measure NCG@100 --by subtask "
    "--figure two.pdf",
)
