"""How widely the values of all runs are spread on each query: a table and a figure with an entry for each query."""

import numpy as np

from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.query_spread.computation import HIGHEST, Spread, query_spread
from leaderboard.analyses.query_spread.figure import spread_figure
from leaderboard.analyses.shared.combinations import Combination, facts_of_combinations, one_combination
from leaderboard.output import Analysis, Column, Facts, Kind, Row, Table
from leaderboard.scoring.evaluation import Progress


def analyse_query_spread(asked: Asked, progress: Progress | None) -> Analysis:
    """Return how widely the runs' values spread on each query, and how many queries are saturated."""
    one = one_combination(asked, progress)
    facts = facts_of_combinations(asked.collection, [one], seed=None, further=())
    spread = query_spread(one.values)
    data = _query_spread_table(spread, one, facts)
    return Analysis(
        facts=facts,
        tables=(saturation_table(spread, len(one.runs), facts), data),
        figures=(spread_figure(spread, one.qids, one.asked, facts, data),),
        sentences=(_saturation_sentence(spread, one),),
    )


def saturation_table(spread: Spread, runs: int, facts: Facts) -> Table:
    """Return a table of how many queries are saturated, which means that they tell few runs apart."""
    queries = len(spread.median)
    lines = (
        (f"median over runs is {HIGHEST:g}, the highest value", spread.saturated),
        ("median over runs is the best run's value, above 0", spread.level_at_top),
        ("all runs have the same value", spread.low == spread.high),
        ("every run has 0", spread.unanswered),
    )
    rows = tuple(
        Row({"queries": words, "count": int(mask.sum()), "share": float(mask.sum() / queries)})
        for words, mask in lines
    )
    columns = (
        Column("queries", "queries whose"),
        Column("count", "queries", Kind.COUNT),
        Column("share", "queries", Kind.SHARE),
    )
    caption = (
        f"Queries that tell few of the {runs:,} runs apart (Craswell et al., TREC 2022, on saturation). A "
        "query can be in several rows."
    )
    return Table("saturation", "Saturated queries", caption, columns, rows, facts)


def _query_spread_table(spread: Spread, one: Combination, facts: Facts) -> Table:
    numbers = (
        ("low", "lowest", spread.low),
        ("lower", "first quartile", spread.lower),
        ("median", "median", spread.median),
        ("upper", "third quartile", spread.upper),
        ("high", "highest", spread.high),
        ("mean", "mean", spread.mean),
        ("deviation", "standard deviation", spread.deviation),
    )
    cells = {key: np.asarray(values).tolist() for key, _, values in numbers}
    at_best = spread.at_best.tolist()
    rows = tuple(
        Row.of(
            qid=one.qids[query],
            **{key: values[query] for key, values in cells.items()},
            at_best=at_best[query],
        )
        for query in spread.order
    )
    columns = (
        Column("qid", "query"),
        *(Column(key, label, Kind.MEASURE) for key, label, _ in numbers),
        Column("at_best", "runs at the highest", Kind.COUNT),
    )
    caption = (
        f"{one.asked} of {len(one.runs):,} runs on each query, from the highest median to the lowest. Quartiles are "
        "interpolated linearly."
    )
    return Table("queries", "Spread over runs, query by query", caption, columns, rows, facts)


def _saturation_sentence(spread: Spread, one: Combination) -> str:
    return (
        f"{one.name}: on {int(spread.saturated.sum()):,} of {len(spread.median):,} queries the median run has "
        f"{HIGHEST:g}, and on {int(spread.level_at_top.sum()):,} it has the best value of any run."
    )
