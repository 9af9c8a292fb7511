"""Reusability of labels: density and gain by query, unjudged passages by run, and left-out runs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

import numpy as np

from config.plurals import many
from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.near_duplicates.analysis import ClassLabels, class_labels
from leaderboard.analyses.query_spread.analysis import saturation_table
from leaderboard.analyses.query_spread.computation import query_spread
from leaderboard.analyses.reusability.compared_labels import compared_labels
from leaderboard.analyses.reusability.computation import (
    DENSE,
    Density,
    LeftOutRun,
    Whole,
    densities,
    leave_out,
    saved_by_classes,
    unjudged_share,
)
from leaderboard.analyses.reusability.judging_order import (
    gain_figure,
    gain_table,
    judged_topics,
    source_table,
)
from leaderboard.analyses.shared.combinations import labels_asked
from leaderboard.analyses.shared.described_runs import groups_to_leave_out
from leaderboard.output import Analysis, Column, Facts, Figure, Kind, Row, Table
from leaderboard.output.chart import Series, Spans
from leaderboard.output.printed_charts import columns_figure
from leaderboard.output.table import as_number, rows_of
from leaderboard.scoring.evaluation import Progress, ranking_measure
from leaderboard.scoring.labels import Labels, labels_named
from leaderboard.scoring.measure_names import parse_measure
from leaderboard.scoring.measures import Measure, RankedLabels, depth_needed
from leaderboard.scoring.score_facts import scoring_facts
from pooling.files.wanted_ranks import find_wanted
from pooling.models import Run
from pooling.passages.clusters import canonical_of
from pooling.runs.runs import tops_of
from pooling.storage.ranking_files import ranking_of

TOP = 10
Curve = tuple[str, Sequence[float | None]]


def analyse_reusability(asked: Asked, progress: Progress | None) -> Analysis:
    """Return tables and figures of density, unjudged passages and left-out runs.

    Raises a Refusal if the labels or the measure are unknown, or if the reader cannot see the labels.
    """
    labels = labels_asked(asked)
    name = parse_measure(asked.text("measure")).name
    found = class_labels(asked.collection, labels)
    compared = compared_labels(asked)
    other = class_labels(compared[0], labels_named(*compared)) if compared else None
    depth = int(str(asked.settings["depth"]))
    sides = [one.labels for one in (found, other) if one]
    further = (("pool depth", str(depth)),)
    facts = scoring_facts(asked.collection, asked.runs, sides, name, len(labels.qids), further=further)
    dense = densities(found.classes, labels.min_grade)
    beside = densities(other.classes, other.labels.min_grade) if other else []
    table = _density_table(dense, labels.min_grade, facts)
    names = [side.title for side in sides]
    chart = _curves_chart(
        table,
        "share of judged passages that are relevant",
        _names_by_place(dense, beside),
        list(zip(names, ([one.share for one in side] for side in (dense, beside)), strict=False)),
        line=DENSE,
    )
    figure = columns_figure("density", table.caption, chart, table, "queries by descending density")
    content: dict[str, object] = {
        "density": {one.qid: one.share for one in dense},
    }
    sentences = (_density_sentence(dense), *found.conflict_sentences)
    analysis = Analysis(facts, (table,), (figure,), sentences, content)
    if topics := judged_topics(asked.collection, labels):
        gain = gain_table(topics, facts)
        analysis = replace(
            analysis,
            tables=(table, source_table(topics, facts), gain),
            figures=(figure, gain_figure(topics, gain, facts)),
        )
    return _with_run_results(asked, found, depth, analysis, progress) if asked.runs else analysis


def _with_run_results(
    asked: Asked, found: ClassLabels, depth: int, so_far: Analysis, progress: Progress | None
) -> Analysis:
    """Add the results that need runs: unjudged passages, saved judgments, left-out runs and saturated queries."""
    facts = so_far.facts
    tops = {run.run_tag: _labeled_tops(run, max(depth, TOP), found) for run in asked.runs}
    pids = {pid for top in tops.values() for of_query in top.values() for pid in of_query}
    canonical = canonical_of(asked.collection, sorted(pids))
    shares = {
        tag: unjudged_share({qid: of_query[:TOP] for qid, of_query in top.items()}, found.classes, canonical)
        for tag, top in tops.items()
    }
    pools: dict[str, set[str]] = {}
    for top in tops.values():
        for qid, of_query in top.items():
            pools.setdefault(qid, set()).update(of_query[:depth])
    pooled, saved = saved_by_classes(pools, canonical)
    labels = found.expanded()
    judged, places, measure = _label_ranks(asked, labels, depth, progress)
    left = _leave_groups_out(asked, judged, places, measure, depth, found.class_numbers(labels))
    values = [measure.values(replace(judged, rank=of_run)) for of_run in places]
    saturation = saturation_table(query_spread(np.nan_to_num(np.array(values))), len(asked.runs), facts)
    unjudged_table = _unjudged_table(shares, facts)
    left_table = _left_out_table(left, asked.text("by") == "team", facts)
    return Analysis(
        facts,
        (*so_far.tables, unjudged_table, left_table, saturation),
        (
            *so_far.figures,
            _run_figure(f"unjudged among the first {TOP}", unjudged_table, ["unjudged"]),
            _run_figure(facts.mean_measure, left_table, ["before", "after"]),
        ),
        (*so_far.sentences, _saved_sentence(pooled, saved, depth), _left_out_sentence(left)),
        {**so_far.content, "unjudged_at_10": shares, "saved": {"pooled": pooled, "saved": saved}},
    )


def _labeled_tops(run: Run, depth: int, found: ClassLabels) -> dict[str, tuple[str, ...]]:
    return {qid: pids for qid, pids in tops_of(run, depth).items() if qid in found.classes}


def _label_ranks(
    asked: Asked, labels: Labels, depth: int, progress: Progress | None
) -> tuple[RankedLabels, Whole, Measure]:
    """Return the labels ranked in the first run, the ranks of all labels in every run, and the measure.

    The ranks in every run have the shape (runs, labels).
    """
    measure = ranking_measure(asked.text("measure"), labels)
    needed = depth_needed([measure])
    read = None if needed is None else max(needed, depth)
    places = []
    for done, run in enumerate(asked.runs):
        places.append(find_wanted(ranking_of(run, read), labels.wanted).rank)
        if progress:
            progress(done + 1, len(asked.runs))
    return RankedLabels(len(labels.qids), labels.query, labels.grades, places[0]), np.array(places), measure


def _leave_groups_out(
    asked: Asked, judged: RankedLabels, places: Whole, measure: Measure, depth: int, classes: Whole
) -> list[LeftOutRun]:
    groups = groups_to_leave_out(asked.runs, by_team=asked.text("by") == "team")
    tags = [run.run_tag for run in asked.runs]
    return leave_out(judged, places, measure, groups, tags, depth, classes)


def _density_table(dense: Sequence[Density], least: int, facts: Facts) -> Table:
    columns = (
        Column("qid", "query"),
        Column("judged", "judged", Kind.COUNT),
        Column("relevant", "relevant", Kind.COUNT),
        Column("density", "density", Kind.MEASURE),
    )
    rows = rows_of(dense, columns, density=lambda one: one.share)
    caption = (
        f"Judged passages and passages of grade {least} or more, near-duplicates counted once. From a density of "
        f"{DENSE:.2f}, many relevant passages are likely to be unjudged (Voorhees, Craswell and Lin 2022)."
    )
    return Table("density", "Density of relevant passages", caption, columns, rows, facts)


def _unjudged_table(shares: Mapping[str, float | None], facts: Facts) -> Table:
    columns = (Column("run", "run"), Column("unjudged", "unjudged", Kind.SHARE))
    ordered = sorted(shares.items(), key=lambda one: (-(one[1] or 0.0), one[0]))
    rows = tuple(Row({"run": tag, "unjudged": share}) for tag, share in ordered)
    caption = (
        f"On labeled queries, the share of the first {TOP} passages that have no label. A near-duplicate of a "
        "labeled passage counts as labeled."
    )
    return Table("unjudged", f"Unjudged among the first {TOP}", caption, columns, rows, facts)


def _left_out_table(left: Sequence[LeftOutRun], by_team: bool, facts: Facts) -> Table:
    columns = (
        Column("run", "run"),
        *([Column("group", "left out")] if by_team else []),
        Column("dropped", "labels only it contributed", Kind.COUNT),
        Column("before", "with them", Kind.MEASURE, facts.mean_measure),
        Column("after", "without", Kind.MEASURE, facts.mean_measure),
        Column("change", "change", Kind.CHANGE, facts.mean_measure),
        Column("rank_before", "with them", Kind.COUNT, "rank"),
        Column("rank_after", "without", Kind.COUNT, "rank"),
        Column("shift", "shift", Kind.SHIFT, "rank"),
        Column("tau_b", "τ-b of the boards", Kind.MEASURE),
    )
    ordered = sorted(left, key=lambda one: (one.rank_before, one.run))
    caption = (
        "Every run under labels without those that only it (or its team) contributed, and its rank among all runs "
        "under the same labels. A run contributes the labels of its passages down to the pool depth. Near-duplicates "
        "of a labeled passage have its label, and together count as one."
    )
    return Table("left_out", "Left out", caption, columns, rows_of(ordered, columns), facts)


def _run_figure(axis: str, table: Table, columns: Sequence[str]) -> Figure:
    series = [
        (table.column(name).label, [as_number(row.values.get(name)) for row in table.rows])
        for name in columns
    ]
    runs = [str(row.values["run"]) for row in table.rows]
    return columns_figure(table.key, table.caption, _curves_chart(table, axis, runs, series), table, "run")


def _curves_chart(
    table: Table, axis: str, rows: Sequence[str], series: Sequence[Curve], line: float | None = None
) -> Spans:
    """Return a chart with one curve per series over the same rows. A series can be shorter than the rows."""
    curves = [
        Series(name, [(value, None, None) for value, _ in zip_longest(values, rows)])
        for name, values in series
    ]
    return Spans(table.title, axis, rows, curves, line=line)


def _names_by_place(*sides: Sequence[Density]) -> list[str]:
    """Return a label for each place in the order of densities: its query, or both sides' queries if they differ."""
    places = zip_longest(*([one.qid for one in side] for side in sides))
    return [" / ".join(dict.fromkeys(qid for qid in place if qid is not None)) for place in places]


def _density_sentence(dense: Sequence[Density]) -> str:
    over = sum(one.share >= DENSE for one in dense)
    most = f"; the greatest is {dense[0].share:.4f} ({dense[0].qid})" if dense else ""
    return (
        f"{over} of {many(len(dense), 'query has', 'queries have')} a density of {DENSE:.2f} or more{most}."
    )


def _saved_sentence(pooled: int, saved: int, depth: int) -> str:
    return (
        f"Near-duplicates save {many(saved, 'judgment')} of the {many(pooled, 'passage')} in the runs' pool to "
        f"depth {depth}."
    )


def _left_out_sentence(left: Sequence[LeftOutRun]) -> str:
    """Return a sentence with the greatest loss of ranks, the greatest loss of value and the lowest τ-b of boards."""
    if len(left) < 2:
        return "With a single run, there is no board to compare after leaving one out."
    lowest = max(left, key=lambda one: (-one.shift, one.run))
    worst = min(left, key=lambda one: (one.change, one.run))
    places = (
        f"the greatest loss is {many(-lowest.shift, 'place')} ({lowest.run})"
        if lowest.shift < 0
        else "no run loses a place"
    )
    value = (
        f"the greatest loss of value is {-worst.change:.4f} ({worst.run})"
        if worst.change < 0
        else "no run loses value"
    )
    taus = [one.tau_b for one in left if one.tau_b is not None]
    boards = f" The lowest τ-b of the boards is {min(taus):.4f}." if taus else ""
    return (
        f"When the labels that only one run or team contributed are left out, {places}, and {value}.{boards}"
    )
