from leaderboard.analyses.compare.comparison_question import QUESTION
from leaderboard.analyses.harmless_order.analysis import analyse_harmless_order
from leaderboard.analyses.kinds import Kind

KIND = Kind(
    "harmless_order",
    "Do-no-harm order",
    "Runs in the order that pairwise comparisons support; runs that cannot be told apart share a place.",
    "two or more runs, and labels",
    analyse_harmless_order,
    tuple(field for field in QUESTION if field.name in ("qrels", "measure", "alpha")),
    by_query_set=True,
    has_figure=False,
    at_once=300,
    works="Scoring runs",
    help="Order runs by pairwise comparisons instead of their means: a run ranks above another to which it does no "
    "harm (it answers more queries or finds answers earlier, and is not worse in the other respect). Runs that no "
    "comparison orders share a place.",
    example="mine --qrels official --latex order.tex",
)
