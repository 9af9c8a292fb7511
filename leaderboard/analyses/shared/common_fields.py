"""Fields that several analyses share."""

from dataclasses import replace

from leaderboard.analyses.fields import Choice, Number
from leaderboard.scoring.intervals import SEED
from leaderboard.scoring.measure_names import parse_measure

SEED_FIELD = Number("seed", "Seed", SEED, 0, 2**32 - 1, "seed of all random draws")
ALPHA = Number("alpha", "Level α", 0.05, 0.0001, 0.5, "level of the tests")
LABELS = Choice(
    "qrels",
    "Labels",
    of="labels",
    help="qrel sets, @n for version n, or @n:order for its order of preference, which Compat can use "
    "(default: the leaderboard's set and the latest version)",
    several=True,
)
ONE_LABELS = Choice(
    "qrels",
    "Labels",
    of="one labels or order",
    help="a qrel set, @n for version n, or @n:order with the measure Compat (default: the leaderboard's set)",
)
#: Labels for analyses that need grades, which an order of preference does not have.
LABELS_UNORDERED = replace(
    ONE_LABELS,
    of="one labels",
    help="a qrel set, or @n for version n of the preference qrels (default: the leaderboard's set)",
)
MEASURE = Choice(
    "measure",
    "Measure",
    tuple(
        (name, parse_measure(name).mean_name)
        for name in ("RR@10", "RR@100", "AP", "nDCG@10", "NCG@100", "P@10", "Success@10", "Compat(p=0.95)")
    ),
    of="measures",
    help="a measure, such as nDCG@10",
    free=True,
)
MEASURES = replace(
    MEASURE, help="measures, separated by spaces, such as 'RR@10 nDCG@10'", option="--measures"
)
QUERIES = Choice(
    "queries",
    "Queries",
    (
        ("", "all, or public and private separately"),
        ("all", "all"),
        ("public", "public"),
        ("private", "private"),
    ),
    help="sets of queries (default: public and private separately if some are private, else all)",
    several=True,
)
ANNOUNCED = Choice(
    "announced",
    "Announced runs",
    (("", "left out"), ("1", "included")),
    help="include runs that were described but not yet uploaded",
    flag=True,
)
OFFICIAL = Choice("official", "Qrel set", of="sets", help="the qrel set (default: the leaderboard's)")
QUERY_SET = Choice(
    "queries",
    "Queries",
    (("", "all that may be shown"), ("all", "all"), ("public", "public"), ("private", "private")),
    help="a set of queries (default: all; the public queries in public results)",
)
LEAVE_OUT = Choice(
    "by", "Leave out", (("run", "a run"), ("team", "a team")), help="what to leave out in turn"
)
#: Run details that are offered for grouping runs into types. Custom details can be named too.
TYPES = (
    ("neural", "neural type"),
    ("subtask", "subtask"),
    ("stage", "stages"),
    ("dense", "dense retrieval"),
    ("family", "family"),
)
OTHER_LABELS = Choice(
    "against",
    "Other labels",
    of="other labels",
    help="the other labels: a qrel set or @n (default: the latest version, else another qrel set)",
)
