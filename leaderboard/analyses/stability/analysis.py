"""Stability of a board's ranks: tables and a figure for every requested combination."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.shared.combinations import Combination, combinations_asked, facts_of_combinations
from leaderboard.analyses.stability.computation import TOP, Stability, rank_stability
from leaderboard.analyses.stability.figure import rank_figure
from leaderboard.cache.kept_analyses import kept_or_computed
from leaderboard.output import Analysis, Column, Facts, Interval, Kind, Row, Table, Value
from leaderboard.scoring.evaluation import Progress
from leaderboard.scoring.intervals import SEED, TRIALS

CAPTION = (
    "Ranks in {trials:,} resamples of the queries with replacement (Craswell et al., SIGIR 2021). Equal means share "
    "the better rank."
)


def analyse_stability(asked: Asked, progress: Progress | None) -> Analysis:
    """Return rank distributions for every requested combination; see ``combinations`` for defaults and errors."""
    trials, seed = asked.number("trials"), asked.number("seed")
    found = combinations_asked(asked, progress)
    facts = facts_of_combinations(asked.collection, found, seed=seed, further=(("trials", f"{trials:,}"),))
    results = [(one.name, kept_stability(one, trials=trials, seed=seed)) for one in found]
    caption = CAPTION.format(trials=trials)
    data = _distribution_table(results, facts, caption)
    return Analysis(
        facts=facts,
        tables=(_expected_ranks_table(results, facts, caption), _top_table(results, facts, caption)),
        figures=(rank_figure(results, facts, caption, data),),
        sentences=tuple(_first_place_sentence(name, result) for name, result in results),
        content={"distributions": [_distribution_content(name, result) for name, result in results]},
    )


def kept_stability(one: Combination, *, trials: int = TRIALS, seed: int = SEED) -> Stability:
    """Return the rank distributions of one combination's runs, computed once and then cached."""
    content = kept_or_computed(
        "stability", [one.sha256, trials, seed], lambda: _compute_ranks(one, trials, seed)
    )
    return Stability(
        run_tags=tuple(one.run_tags),
        queries=one.values.shape[1],
        trials=trials,
        means=np.array(content["means"], dtype=np.float64),
        ranks=np.array(content["ranks"], dtype=np.int64),
        held=np.array(content["held"], dtype=np.int64),
        tied_trials=content["tied_trials"],
    )


def _compute_ranks(one: Combination, trials: int, seed: int) -> dict[str, Any]:
    found = rank_stability(
        one.run_tags,
        one.values,
        rng=np.random.default_rng(seed),
        trials=trials,
        whole=one.whole,
        higher_is_better=one.measure.higher_is_better,
    )
    return {
        "means": found.means.tolist(),
        "ranks": found.ranks.tolist(),
        "held": found.held.tolist(),
        "tied_trials": found.tied_trials,
    }


Results = Sequence[tuple[str, Stability]]


def _expected_ranks_table(results: Results, facts: Facts, caption: str) -> Table:
    """Return a table with one row per run: each combination's value, rank, expected rank and middle 95% of ranks."""
    columns = [Column("run", "run")]
    rows: dict[str, dict[str, Value]] = {}
    for place, (name, result) in enumerate(results):
        columns += [
            Column(f"value_{place}", "value", Kind.MEASURE, name),
            Column(f"rank_{place}", "rank", Kind.COUNT, name),
            Column(f"expected_{place}", "expected rank [95%]", Kind.NUMBER, name),
        ]
        low, high = result.bounds()
        for i in result.order():
            rows.setdefault(result.run_tags[i], {"run": result.run_tags[i]}).update(
                {
                    f"value_{place}": float(result.means[i]),
                    f"rank_{place}": int(result.ranks[i]),
                    f"expected_{place}": Interval(float(result.expected[i]), int(low[i]), int(high[i])),
                }
            )
    return Table(
        "ranks",
        "Expected ranks",
        f"{caption} Brackets show the middle 95% of a run's ranks.",
        tuple(columns),
        tuple(Row(values) for values in rows.values()),
        facts,
        notes=tuple(
            f"{name}: {result.queries:,} queries; two or more runs tied in {result.tied_trials / result.trials:.1%} "
            "of the resamples."
            for name, result in results
        ),
    )


def _top_table(results: Results, facts: Facts, caption: str) -> Table:
    """Return a table of how often each of the top five runs has each of the first five ranks."""
    ranks = [
        Column(f"rank_{rank}", f"rank {rank}", Kind.SHARE, "share of resamples") for rank in range(1, TOP + 1)
    ]
    rows = []
    for name, result in results:
        for i in result.order()[:TOP]:
            shares = {f"rank_{rank + 1}": float(share) for rank, share in enumerate(result.shares[i, :TOP])}
            said: dict[str, Value] = {"setting": name, "run": result.run_tags[i]}
            rows.append(Row(said | shares | {"expected": float(result.expected[i])}))
    columns = (Column("setting", "labels, measure"), Column("run", "run"), *ranks)
    return Table(
        "top",
        f"The top {TOP}",
        caption,
        (*columns, Column("expected", "expected", Kind.NUMBER)),
        tuple(rows),
        facts,
    )


def _distribution_table(results: Results, facts: Facts, caption: str) -> Table:
    """Return the data of the figure: every rank that a run has in any resample, with its share of the resamples."""
    rows = [
        Row({"setting": name, "run": result.run_tags[i], "rank": int(rank) + 1, "share": float(share)})
        for name, result in results
        for i in result.order()
        for rank, share in enumerate(result.shares[i])
        if share
    ]
    columns = (
        Column("setting", "labels, measure"),
        Column("run", "run"),
        Column("rank", "rank", Kind.COUNT),
        Column("share", "share of resamples", Kind.SHARE),
    )
    return Table("distribution", "Rank distributions", caption, columns, tuple(rows), facts)


def _first_place_sentence(name: str, result: Stability) -> str:
    first = result.order()[0]
    leading = int((result.ranks == 1).sum())
    if leading == len(result.run_tags) > 1:
        return f"{name}: all {leading:,} runs are equal, so ranks carry no information."
    if leading > 1:
        return f"{name}: {leading:,} runs tie for first place, {result.run_tags[first]} among them."
    return (
        f"{name}: {result.run_tags[first]} is first in {result.shares[first, 0]:.1%} of the resamples "
        f"(expected rank {result.expected[first]:.2f})."
    )


def _distribution_content(name: str, result: Stability) -> dict[str, Any]:
    return {
        "setting": name,
        "queries": result.queries,
        "tied_trials": result.tied_trials,
        "runs": [
            {"run": result.run_tags[i], "expected": result.expected[i], "held": result.held[i]}
            for i in result.order()
        ],
    }
