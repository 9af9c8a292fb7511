"""Which differences between runs the queries can show: on the board, for one pair, and by number of queries."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.power.computation import (
    Pairs,
    Wanted,
    detectable_effect,
    power_of,
    queries_needed,
    run_pairs,
)
from leaderboard.analyses.power.figure import Curve, power_figure
from leaderboard.analyses.shared.combinations import Combination, facts_of_combinations, one_combination
from leaderboard.errors import NothingToScore, WrongSetting
from leaderboard.output import Analysis, Column, Facts, Kind, Row, Table
from leaderboard.scoring.evaluation import Progress

DIFFERENCES = (0.005, 0.01, 0.02, 0.05, 0.1)
QUERIES = (10, 25, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)
QUARTILES = (0.25, 0.5, 0.75)


@dataclass(frozen=True)
class _PowerBoard:
    one: Combination
    pairs: Pairs
    alone: Wanted

    @property
    def queries(self) -> int:
        return self.one.values.shape[1]

    @cached_property
    def together(self) -> Wanted:
        return self.alone.among(len(self.pairs.first))

    @cached_property
    def tests(self) -> tuple[tuple[str, Wanted], ...]:
        count = len(self.pairs.first)
        return (
            ("one pair alone", self.alone),
            (f"all {count:,} pairs at once", self.together),
        )

    @cached_property
    def deviations(self) -> list[float]:
        """The quartiles, over all pairs whose differences vary, of the standard deviation of the differences."""
        return [float(one) for one in np.quantile(self.pairs.deviation[self.pairs.told], QUARTILES)]

    @cached_property
    def same(self) -> int:
        return int((~self.pairs.told).sum())


def analyse_power(asked: Asked, progress: Progress | None) -> Analysis:
    """Return the smallest detectable differences for all pairs, for one pair, and by number of queries.

    The one pair defaults to the two best runs. Raises NothingToScore if there are fewer than two runs or queries, or
    if every pair has the same difference on all queries. Raises WrongSetting if the pair is not two of the runs.
    """
    alpha, power, difference = map(asked.number, ("alpha", "power", "difference"))
    one = one_combination(asked, progress)
    if min(one.values.shape) < 2:
        raise NothingToScore(
            f"{one.name} has too few runs or queries to compare.", "Use at least two of each."
        )
    board = _PowerBoard(one, run_pairs(one.values), Wanted(alpha, power))
    if not board.pairs.told.any():
        raise NothingToScore(
            f"{one.name}: the differences between runs are the same on every query.", "Choose other runs."
        )
    facts = facts_of_combinations(
        asked.collection, [one], seed=None, further=(("alpha", f"{alpha:g}"), ("power", f"{power:g}"))
    )
    first, second = _chosen_pair(one, (asked.text("run"), asked.text("against")))
    curve = _detectable_curve(board)
    data = _curve_table(board, curve, facts)
    return Analysis(
        facts=facts,
        tables=(
            _detectable_table(board, facts),
            _pair_table(board, first, second, facts),
            _needed_table(board, first, second, difference, facts),
            data,
        ),
        figures=(power_figure(curve, board.queries, one.mean_name, facts, data),),
        sentences=(_power_sentence(board),),
    )


def _chosen_pair(one: Combination, pair: tuple[str, str]) -> tuple[int, int]:
    """Return the indexes of the two chosen runs. A run that is not chosen defaults to the best remaining one.

    Raises WrongSetting if a chosen run is not among the runs, or if both are the same.
    """
    tags = one.run_tags
    for tag in filter(None, pair):
        if tag not in tags:
            raise WrongSetting(f"{tag[:100]} is not among these runs.", "Choose one of the runs.")
    best = np.argsort(-one.values.mean(axis=1), kind="stable").tolist()
    first = tags.index(pair[0]) if pair[0] else next(run for run in best if tags[run] != pair[1])
    second = tags.index(pair[1]) if pair[1] else next(run for run in best if run != first)
    if first == second:
        raise WrongSetting(f"Both runs are {pair[0]}.", "Choose two runs.")
    return first, second


def _detectable_table(board: _PowerBoard, facts: Facts) -> Table:
    rows = []
    for words, wanted in board.tests:
        effect = detectable_effect(board.queries, wanted)
        least = effect * board.pairs.deviation
        found = board.pairs.told & (board.pairs.difference >= least)
        lower, median, upper = (effect * one for one in board.deviations)
        rows.append(
            Row.of(
                test=words,
                alpha=wanted.alpha,
                lower=lower,
                median=median,
                upper=upper,
                pairs=int(found.sum()),
                share=float(found.mean()),
            )
        )
    columns = (
        Column("test", "test"),
        Column("alpha", "level", Kind.P),
        Column("lower", "lower quartile", Kind.MEASURE, "smallest difference"),
        Column("median", "median pair", Kind.MEASURE, "smallest difference"),
        Column("upper", "upper quartile", Kind.MEASURE, "smallest difference"),
        Column("pairs", "pairs", Kind.COUNT, "observed difference large enough"),
        Column("share", "share", Kind.SHARE, "observed difference large enough"),
    )
    notes = [
        "All pairs at once: the level is divided by the number of pairs (Bonferroni). The ranges of ranks on the "
        "leaderboard test all pairs by max-T, which usually finds smaller differences."
    ]
    if board.same:
        notes.append(
            f"Pairs left out of the quartiles, because their difference is the same on every query: {board.same:,}."
        )
    return Table(
        "board",
        "Smallest detectable differences",
        _power_caption(board),
        columns,
        tuple(rows),
        facts,
        tuple(notes),
    )


def _power_caption(board: _PowerBoard) -> str:
    return (
        f"True differences in {board.one.mean_name} that the two-sided paired t-test finds with "
        f"{board.alone.power:.0%} probability, from the standard deviation of the differences of each pair of runs "
        "over queries (noncentral t; Webber et al. 2008, Sakai 2016)."
    )


def _pair_table(board: _PowerBoard, first: int, second: int, facts: Facts) -> Table:
    tags = board.one.run_tags
    difference, deviation = _difference_and_deviation(board, first, second)
    rows = []
    for words, wanted in board.tests:
        effect = difference / deviation if deviation else 0.0
        rows.append(
            Row.of(
                run=tags[first],
                against=tags[second],
                test=words,
                difference=float(board.one.values[first].mean() - board.one.values[second].mean()),
                deviation=deviation,
                least=detectable_effect(board.queries, wanted) * deviation if deviation else None,
                power=power_of(board.queries, effect, wanted.alpha) if deviation else None,
                queries=queries_needed(effect, wanted),
            )
        )
    columns = (
        Column("run", "run"),
        Column("against", "against"),
        Column("test", "test"),
        Column("difference", "difference", Kind.CHANGE, "observed"),
        Column("deviation", "standard deviation", Kind.MEASURE, "observed"),
        Column("least", "smallest difference", Kind.MEASURE),
        Column("power", "power", Kind.SHARE, "if the observed difference is true"),
        Column("queries", "queries needed", Kind.COUNT, "if the observed difference is true"),
    )
    caption = (
        f"{_power_caption(board)} Power computed from an observed difference adds nothing to its p-value."
    )
    return Table("pair", "One pair of runs", caption, columns, tuple(rows), facts)


def _difference_and_deviation(board: _PowerBoard, first: int, second: int) -> tuple[float, float]:
    low, high = sorted((first, second))
    (place,) = np.flatnonzero((board.pairs.first == low) & (board.pairs.second == high))
    return float(board.pairs.difference[place]), float(board.pairs.deviation[place])


def _needed_table(
    board: _PowerBoard, first: int, second: int, difference: float | None, facts: Facts
) -> Table:
    """Return a table of the numbers of queries needed to detect typical differences and ``difference``, if given."""
    deviation = _difference_and_deviation(board, first, second)[1]
    rows = []
    for one in sorted({*DIFFERENCES, *([difference] if difference else [])}):
        cells = {
            f"{key}_{name}": queries_needed(one / spread, wanted)
            for key, (_, wanted) in zip(("alone", "together"), board.tests, strict=True)
            for name, spread in (("median", board.deviations[1]), ("upper", board.deviations[2]))
        }
        of_pair = queries_needed(one / deviation, board.alone) if deviation else None
        rows.append(Row({"difference": one, **cells, "pair": of_pair}))
    pair = f"{board.one.run_tags[first]}, {board.one.run_tags[second]}"
    columns = (
        Column("difference", "true difference", Kind.MEASURE),
        *(
            Column(f"{key}_{name}", label, Kind.COUNT, words)
            for key, (words, _) in zip(("alone", "together"), board.tests, strict=True)
            for name, label in (("median", "median pair"), ("upper", "upper quartile"))
        ),
        Column("pair", pair, Kind.COUNT, "this pair alone"),
    )
    caption = (
        f"Queries that the two-sided paired t-test at {board.alone.alpha:g} needs to find a true difference in "
        f"{board.one.mean_name} with {board.alone.power:.0%} probability, if the differences between runs vary as "
        "here. For all pairs at once, the level is divided by their number."
    )
    return Table("needed", "Queries needed", caption, columns, tuple(rows), facts)


def _detectable_curve(board: _PowerBoard) -> Curve:
    found = []
    for count in sorted({*QUERIES, board.queries}):
        effect = detectable_effect(count, board.alone)
        lower, median, upper = (effect * one for one in board.deviations)
        found.append((count, lower, median, upper))
    return found


def _curve_table(board: _PowerBoard, curve: Curve, facts: Facts) -> Table:
    columns = (
        Column("queries", "queries", Kind.COUNT),
        Column("lower", "lower quartile", Kind.MEASURE, "smallest difference"),
        Column("median", "median pair", Kind.MEASURE, "smallest difference"),
        Column("upper", "upper quartile", Kind.MEASURE, "smallest difference"),
    )
    rows = tuple(
        Row({"queries": count, "lower": lower, "median": median, "upper": upper})
        for count, lower, median, upper in curve
    )
    caption = f"{_power_caption(board)} For each pair alone, at {board.alone.alpha:g}."
    return Table(
        "curve", "Smallest detectable difference by number of queries", caption, columns, rows, facts
    )


def _power_sentence(board: _PowerBoard) -> str:
    alone, together = (detectable_effect(board.queries, wanted) for _, wanted in board.tests)
    return (
        f"{board.one.name}: on {board.queries:,} queries, a paired t-test at {board.alone.alpha:g} of the median "
        f"pair of runs finds a true difference of {alone * board.deviations[1]:.4f} with {board.alone.power:.0%} "
        f"probability; with all pairs tested at once, {together * board.deviations[1]:.4f}."
    )
