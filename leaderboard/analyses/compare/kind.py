from leaderboard.analyses.compare.analysis import comparison_analysis
from leaderboard.analyses.compare.comparison import OLDER, chronological, compare_runs, order_in_words
from leaderboard.analyses.compare.comparison_question import QUESTION, question_asked
from leaderboard.analyses.kinds import Asked, Kind
from leaderboard.output import Analysis
from leaderboard.scoring.evaluation import Progress


def make(asked: Asked, progress: Progress | None) -> Analysis:
    found = compare_runs(
        collection=asked.collection,
        runs=asked.runs if asked.in_order else chronological(asked.runs),
        question=question_asked(asked),
        progress=progress,
    )
    return comparison_analysis(found, order=OLDER if asked.in_order else order_in_words(asked.runs))


KIND = Kind(
    "compare",
    "Comparisons of runs",
    "Is one run better than another? In order of time, every run against the first and the last against the two "
    "before it: what can be claimed, and the evidence. Runs without a date come last, by tag.",
    "two or more runs, and labels",
    make,
    QUESTION,
    by_query_set=True,
    at_once=40,
    works="Scoring runs",
    help="Compare runs in order of time: every run with the first, and the last with the two before it. Runs "
    "without a date of submission come last, by tag; --runs names runs in another order. Test RR over all queries "
    "together, then by outcome: queries that neither, one or both runs answer. State what can be claimed (better, "
    "strictly better, do no harm) in a sentence to quote.",
    example="mine --qrels official --runs old new --latex compare.tex --figure compare.pdf",
)
