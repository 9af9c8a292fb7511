"""Agreement between halves of the queries: a table for every requested combination."""

from dataclasses import asdict

import numpy as np

from config.plurals import many
from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.shared.combinations import Combination, combinations_asked, facts_of_combinations
from leaderboard.analyses.split_halves.computation import (
    FEWEST_QUERIES,
    Agreement,
    split_agreement,
)
from leaderboard.analyses.split_halves.figure import halves_figure
from leaderboard.cache.kept_analyses import kept_object
from leaderboard.errors import NothingToScore
from leaderboard.output import Analysis, Column, Kind, Row, Table
from leaderboard.scoring.evaluation import Progress

COLUMNS = (
    Column("setting", "labels, measure"),
    Column("direction", "compared by"),
    Column("test", "test"),
    Column("agree", "agree", Kind.SHARE),
    Column("partial", "partially", Kind.SHARE),
    Column("disagree", "disagree", Kind.SHARE),
    Column("significant", "significant in a half", Kind.SHARE),
)


def analyse_split_halves(asked: Asked, progress: Progress | None) -> Analysis:
    """Return how often random halves of the queries agree, for every requested combination.

    Raises the errors of ``combinations``, and NothingToScore for fewer than two runs or four queries.
    """
    splits, alpha, seed = map(asked.number, ("splits", "alpha", "seed"))
    found = combinations_asked(asked)
    for one in found:
        if len(asked.runs) < 2 or one.values.shape[1] < FEWEST_QUERIES:
            raise NothingToScore(
                f"{one.name}: {many(len(asked.runs), 'run')} on {many(one.values.shape[1], 'query', 'queries')} "
                "cannot be split into halves.",
                f"Use at least two runs and {FEWEST_QUERIES} queries.",
            )
    further = (("splits", f"{splits:,}"), ("alpha", f"{alpha:g}"))
    facts = facts_of_combinations(asked.collection, found, seed=seed, further=further)
    results = [
        (one.name, kept_halves(one, splits=splits, alpha=alpha, seed=seed, progress=progress))
        for one in found
    ]
    table = Table(
        "halves",
        "Agreement of split halves",
        f"{splits:,} random splits of the queries. For every pair of runs: whether both halves favor the same run, "
        f"and whether the difference is significant (p ≤ {alpha:g}, two-sided) in both, one or neither (Craswell et "
        "al., SIGIR 2021). Shares of all pairs and splits.",
        COLUMNS,
        tuple(
            Row({"setting": name, **asdict(outcome)})
            for name, result in results
            for outcome in result.outcomes
        ),
        facts,
        notes=tuple(_ties_note(name, result) for name, result in results),
    )
    content = {"halves": [{"setting": name, **asdict(result)} for name, result in results]}
    return Analysis(
        facts=facts, tables=(table,), figures=(halves_figure(results, facts, table),), content=content
    )


def kept_halves(
    one: Combination, *, splits: int, alpha: float, seed: int, progress: Progress | None = None
) -> Agreement:
    """Return the agreement of halves for one combination, computed once and then cached."""
    return kept_object(
        "split halves",
        [one.sha256, splits, alpha, seed],
        Agreement,
        lambda: split_agreement(
            one.values,
            rng=np.random.default_rng(seed),
            splits=splits,
            alpha=alpha,
            whole=one.whole,
            progress=progress,
        ),
    )


def _ties_note(name: str, result: Agreement) -> str:
    return (
        f"{name}: {result.pairs:,} pairs of runs on {result.queries:,} queries; of the comparisons, "
        f"{result.equal_means:.1%} have equal means and {result.equal_medians:.1%} equal medians."
    )
