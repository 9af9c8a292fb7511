"""Tables and figures that compare types of runs, and the best run of each type."""

from collections.abc import Sequence

from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.run_types.computation import Duel, RunType, duels, run_types
from leaderboard.analyses.run_types.figure import best_figure, types_figure
from leaderboard.analyses.shared.combinations import Combination, facts_of_combinations, one_combination
from leaderboard.analyses.shared.described_runs import types_of
from leaderboard.output import Analysis, Column, Facts, Figure, Kind, Row, Table
from leaderboard.output.table import best_marked, rows_of
from leaderboard.output.team_columns import run_and_team
from leaderboard.scoring.evaluation import Progress

#: The maximum number of pairs of types with a figure, starting with pairs of the best type. The table has all pairs.
MOST_DUELS = 6


def analyse_run_types(asked: Asked, progress: Progress | None) -> Analysis:
    """Compare types of runs, and the best run of each type. Raises WrongSetting for an unknown run detail."""
    types_of(asked.collection, (), asked.text("by"))  # Refuse an unknown detail before scoring.
    one = one_combination(asked, progress)
    higher = one.measure.higher_is_better
    detail, types = types_of(asked.collection, one.runs, asked.text("by"))
    found = run_types(one.values, types, higher_is_better=higher)
    against = duels(one.values, found, higher_is_better=higher)
    facts = facts_of_combinations(
        asked.collection, [one], seed=None, further=(("type", detail.label.lower()),)
    )
    runs = _runs_table(one, found, facts)
    figures = [types_figure(found, one.run_tags, one.mean_name, runs)]
    tables = [_types_table(one, found, facts), runs]
    if against:
        tables.insert(1, _duels_table(one, against, facts))
        figures += [_best_figure(one, duel, place, facts) for place, duel in enumerate(against[:MOST_DUELS])]
    return Analysis(facts, tuple(tables), tuple(figures), (_best_run_sentence(one, found, against),))


def _best_figure(one: Combination, duel: Duel, place: int, facts: Facts) -> Figure:
    """Return the figure of a pair of types; ``place`` is the index of the pair, and part of the figure's key."""
    key = "best" if not place else f"best_{place + 1}"
    first, second = duel.first, duel.second
    best = [one.runs[each.champion] for each in (first, second)]
    names = [
        f"{each.name}: {run_and_team(run.run_tag, run.team)}, {one.asked}"
        for each, run in zip((first, second), best, strict=True)
    ]
    values = one.values[first.champion], one.values[second.champion]
    data = _queries_table(one, duel, key, facts)
    return best_figure(duel, *values, one.qids, (names[0], names[1]), key, data)


def _types_table(one: Combination, found: Sequence[RunType], facts: Facts) -> Table:
    columns = (
        Column("type", "type"),
        Column("runs", "runs", Kind.COUNT),
        Column("best_run", "best run"),
        Column("best", "best", Kind.MEASURE, one.mean_name),
        Column("median", "median", Kind.MEASURE, one.mean_name),
    )
    rows = rows_of(
        found,
        columns,
        type=lambda each: each.name,
        runs=lambda each: len(each.rows),
        best_run=lambda each: one.run_tags[each.champion],
    )
    marked = best_marked(rows, "best", higher=one.measure.higher_is_better)
    return Table("types", "Types of runs", "Means over the queries.", columns, marked, facts)


def _duels_table(one: Combination, against: Sequence[Duel], facts: Facts) -> Table:
    columns = (
        Column("first", "type"),
        Column("first_run", "its best run"),
        Column("second", "against"),
        Column("second_run", "its best run"),
        Column("won", "won", Kind.COUNT, "queries"),
        Column("lost", "lost", Kind.COUNT, "queries"),
        Column("level", "level", Kind.COUNT, "queries"),
        Column("difference", "Δ", Kind.CHANGE, one.mean_name),
    )
    rows = rows_of(
        against,
        columns,
        first=lambda each: each.first.name,
        first_run=lambda each: one.run_tags[each.first.champion],
        second=lambda each: each.second.name,
        second_run=lambda each: one.run_tags[each.second.champion],
    )
    caption = (
        "The best run of a type against the best run of a better type, query by query. Won: queries on which the "
        "first has the better value. Δ: mean of the second minus mean of the first."
    )
    return Table("best_against_best", "Best against best", caption, columns, rows, facts)


def _runs_table(one: Combination, found: Sequence[RunType], facts: Facts) -> Table:
    type_of = {row: each.name for each in found for row in each.rows}
    means = one.values.mean(axis=1)
    order = sorted(type_of, key=lambda row: -means[row] if one.measure.higher_is_better else means[row])
    columns = (Column("run", "run"), Column("type", "type"), Column("value", one.mean_name, Kind.MEASURE))
    rows = tuple(
        Row({"run": one.run_tags[row], "type": type_of[row], "value": float(means[row])}) for row in order
    )
    return Table("by_type", "Runs by value", "Every run with its type.", columns, rows, facts)


def _queries_table(one: Combination, duel: Duel, key: str, facts: Facts) -> Table:
    columns = (
        Column("qid", "query"),
        Column("first", duel.first.name, Kind.MEASURE),
        Column("second", duel.second.name, Kind.MEASURE),
    )
    pairs = zip(one.qids, one.values[duel.first.champion], one.values[duel.second.champion], strict=True)
    rows = tuple(
        Row({"qid": qid, "first": float(first), "second": float(second)}) for qid, first, second in pairs
    )
    caption = "The values of both best runs on every query."
    return Table(f"{key}_by_query", f"{duel.title}, query by query", caption, columns, rows, facts)


def _best_run_sentence(one: Combination, found: Sequence[RunType], against: Sequence[Duel]) -> str:
    best = found[0]
    if not against:
        return f"All {len(one.runs)} runs are of one type: {best.name}."
    duel = against[0]
    return (
        f"The best run is {one.run_tags[best.champion]} ({best.name}). The best run of {duel.first.name}, "
        f"{one.run_tags[duel.first.champion]}, has the better value on {duel.won} of {len(one.qids)} queries, "
        f"and the same on {duel.level}."
    )
