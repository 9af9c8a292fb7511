"""Label noise of a campaign's board: two kinds of intervals, and the chance that best answers are right."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from config.guidance import Action
from config.plurals import many
from leaderboard.analyses.judge_agreement.computation import observed_agreement
from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.label_noise.computation import LabelNoise, NoiseRow, Spread, label_noise
from leaderboard.analyses.label_noise.winner_odds import TRIALS as TOURNAMENTS, Odds, Rules, odds_of_pools
from leaderboard.analyses.shared.contenders import Contenders, Flags
from leaderboard.analyses.shared.loaded_contenders import LoadedContenders, best_flags, load_contenders
from leaderboard.board.standings import DEPTH, PERFECT
from leaderboard.cache.inputs import campaign_inputs, runs_inputs, set_inputs
from leaderboard.cache.kept_analyses import kept_object
from leaderboard.errors import NothingToScore
from leaderboard.output import Analysis, Column, Facts, Figure, Interval, Kind, Row, Table
from leaderboard.output.chart import Series, Spans
from leaderboard.output.printed_charts import rows_figure
from leaderboard.output.table import rows_of
from leaderboard.scoring.chosen_runs import official_set
from leaderboard.scoring.evaluation import Progress
from pooling.models import QrelSet


def analyse_label_noise(asked: Asked, progress: Progress | None) -> Analysis:
    """Return two intervals for every run (by queries and by labels), and the chance that a best answer is right.

    Differences are from ``reference`` (default: the best run). The chance is simulated for judgments that are wrong
    with probability ``error``. By default this is the error that the judges' agreement implies, if pairs were judged
    more than once. Raises :class:`NothingToScore` if there is no run or no query with a best answer, if ``reference``
    is not one of the runs, or if the qrel set has no relevant passage for these queries.
    """
    campaign, runs = asked.judged, asked.runs
    reference, error = asked.text("reference") or None, asked.number("error")
    seed, trials = asked.number("seed"), asked.number("trials")
    official = official_set(asked.collection, asked.text("official")) if asked.text("official") else None
    known = load_contenders(campaign=campaign, runs=runs, qrel_set=official)
    inputs = [
        campaign_inputs(campaign),
        runs_inputs(runs),
        official and set_inputs(official),
        [reference, seed, trials],
    ]
    contenders, among = _runs_and_queries(known, official, reference)
    try:
        found = kept_object(
            "label noise",
            inputs,
            LabelNoise,
            lambda: label_noise(
                contenders,
                known.evidence,
                reference=reference,
                among=among,
                seed=seed,
                trials=trials,
                progress=progress,
            ),
        )
    except ValueError as nothing:
        raise NothingToScore(
            f"{campaign.name}: {nothing}.",
            Action("resolve", campaign.name, lead="See which queries are open"),
        ) from None
    facts = known.table_facts(
        measure=f"MRR@{DEPTH}",
        queries=found.queries,
        labels=(official.name,) if official else (),
        seed=seed,
        further=(*known.rules, ("trials", f"{trials:,}"), *_queries_left_out(known, official)),
    )
    error = _implied_error(known, seed) if error is None else error
    odds = () if error is None else _odds_of_campaign(known, error, seed)
    return noise_analysis(found, facts, odds, error)


def _runs_and_queries(
    known: LoadedContenders, official: QrelSet | None, reference: str | None
) -> tuple[Contenders, Flags | None]:
    """Return the contenders and a mask of the queries to average over (None for all).

    With official qrels, the contenders include the perfect run, which has no passage for a query without a qrel. So
    every mean leaves out such queries.
    """
    contenders = known.with_perfect_run() if official else known.contenders
    among = known.has_qrel if official else None
    if official and among is not None and not among.any():
        raise NothingToScore(
            f"{official.name} has no relevant passage for any query of {known.facts.campaign.name}.",
            "Choose another qrel set, or none.",
        )
    names = contenders.run_tags
    if reference is not None and reference not in names:
        raise NothingToScore(f"{reference} is not one of these runs.", f"Choose one of: {', '.join(names)}.")
    return contenders, among


def _queries_left_out(known: LoadedContenders, official: QrelSet | None) -> tuple[tuple[str, str], ...]:
    """Return a fact with the number of queries that have a best answer but no official qrel; empty if none."""
    lacking = int((known.contenders.covered(best_flags(known)) & ~known.has_qrel).sum())
    lacked = many(lacking, "query", "queries")
    return (("left out for want of a qrel", lacked),) if official and lacking else ()


def _implied_error(known: LoadedContenders, seed: int) -> float | None:
    judged = known.contenders.judged_pairs(known.evidence.judged)
    query = known.contenders.query[judged.a]
    return observed_agreement(judged, query, rng=np.random.default_rng(seed), trials=1).error_rate


def _odds_of_campaign(known: LoadedContenders, error: float, seed: int) -> tuple[Odds, ...]:
    """Simulate how often best answers are right, by the pool sizes of the first round and the campaign's rules."""
    entrants = known.evidence.entrants
    nodes = {*zip(entrants.query.tolist(), entrants.representative.tolist(), strict=True)}
    sizes = Counter(Counter(query for query, _ in nodes).values())
    parameters = known.evidence.parameters
    rules = Rules(parameters.wanted, parameters.ties, parameters.count)
    return odds_of_pools(sizes, error, rules, rng=np.random.default_rng([seed, 2]))


def noise_analysis(
    found: LabelNoise, facts: Facts, odds: Sequence[Odds] = (), error: float | None = None
) -> Analysis:
    """Return the analysis: a table and a figure of runs with both intervals, and a table of ``odds`` if given."""
    who = (
        f"{found.workers} workers with all of their judgments"
        if found.workers
        else "judgments within their query"
    )
    caption = (
        f"{found.level:.0%} percentile intervals, {found.trials:,} trials. By queries: queries resampled. By labels: "
        f"queries and judgments resampled ({who}), best answers derived again; center: the mean of these trials. "
        f"Differences: from {found.reference}, trial by trial."
    )
    columns = (
        Column("run", "run"),
        Column("queries", "by queries", Kind.INTERVAL, facts.measure),
        Column("labels", "by labels", Kind.INTERVAL, facts.measure),
        Column("centre", "center", Kind.MEASURE, facts.measure),
        Column("difference_queries", "by queries", Kind.CHANGE, f"difference from {found.reference}"),
        Column("difference_labels", "by labels", Kind.CHANGE, f"difference from {found.reference}"),
    )
    rows = tuple(_noise_row(row, found) for row in found.rows)
    table = Table(
        "noise", "Label noise", caption, columns, rows, facts, significance="the interval excludes 0"
    )
    tables = [table] + ([_odds_table(odds, error, facts)] if odds and error is not None else [])
    return Analysis(
        facts,
        tuple(tables),
        (_noise_figure(found, facts, caption, table),),
        sentences=tuple(_noise_sentences(found, odds, error)),
    )


def _noise_row(row: NoiseRow, found: LabelNoise) -> Row:
    spreads = {"difference_queries": row.difference_queries, "difference_labels": row.difference_labels}
    itself = row.run == found.reference
    return Row(
        {
            "run": row.run,
            "queries": Interval(row.value, row.queries.low, row.queries.high),
            "labels": Interval(row.value, row.labels.low, row.labels.high),
            "centre": row.labels.center,
            **{
                key: None if itself else Interval(row.difference, spread.low, spread.high)
                for key, spread in spreads.items()
            },
        },
        significant=frozenset(
            key for key, spread in spreads.items() if not itself and _excludes_zero(spread)
        ),
        faint=row.run == PERFECT,
    )


def _excludes_zero(spread: Spread) -> bool:
    return spread.low > 0 or spread.high < 0


def _odds_table(odds: Sequence[Odds], error: float, facts: Facts) -> Table:
    columns = (
        Column("size", "passages"),
        Column("pools", "pools", Kind.COUNT),
        Column("alone", "the only best answer", Kind.SHARE, "the truly best passage is"),
        Column("among", "among the best answers", Kind.SHARE, "the truly best passage is"),
        Column("best_answers", "best answers", Kind.NUMBER),
    )
    rows = rows_of(odds, columns, size=lambda row: str(row.size) if row.size else "all")
    caption = (
        f"Simulated: {TOURNAMENTS:,} round robins per pool size in which each judgment errs with chance {error:.3f}, "
        "independently of other judgments and of how close two passages are."
    )
    return Table("odds", "How often a best answer is right", caption, columns, rows, facts)


def _noise_sentences(found: LabelNoise, odds: Sequence[Odds], error: float | None) -> list[str]:
    others = [row for row in found.rows if row.run not in (found.reference, PERFECT)]
    by_queries = sum(_excludes_zero(row.difference_queries) for row in others)
    by_labels = sum(_excludes_zero(row.difference_labels) for row in others)
    said = [
        f"{by_queries} of {len(others)} runs differ significantly from {found.reference} if queries are resampled, "
        f"{by_labels} if judgments are resampled too."
    ]
    if odds and error is not None:
        said.append(
            f"If one judgment in {1 / error:.1f} is wrong, " if error else "If no judgment is wrong, "
        )
        said[-1] += f"the truly best passage is the only best answer for {odds[-1].alone:.0%} of queries."
    return said


def _noise_figure(found: LabelNoise, facts: Facts, caption: str, table: Table) -> Figure:
    """Return a figure with both intervals of every run, the best run first."""
    rows = found.rows
    by_queries = Series("queries resampled", [(row.value, row.queries.low, row.queries.high) for row in rows])
    by_labels = Series(
        "queries and judgments resampled (center)",
        [(row.labels.center, row.labels.low, row.labels.high) for row in rows],
    )
    chart = Spans("Label noise", facts.measure, [row.run for row in rows], [by_queries, by_labels])
    return rows_figure("noise", "Label noise", caption, [chart], table)
