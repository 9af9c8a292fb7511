"""How far official and preference qrels agree about runs: both boards side by side, and what single pairs say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from judging.models import Campaign
from leaderboard.agreement import kendall, tau_ap
from leaderboard.board import PERFECT, BoardRow, Estimate
from leaderboard.contenders import Flags
from leaderboard.output import Analysis, Column, Facts, Figure, Interval, Kind, Row, Table
from leaderboard.output.chart import Mark, Point, Points, Series, Spans, chart_content
from leaderboard.pair_order import OrderedPairs, label_wins, ordered_pairs
from leaderboard.proportions import Share
from leaderboard.services.boards import SEED, PublishedBoard, leaderboard
from leaderboard.services.contending import Contending, best_flags, contending
from leaderboard.services.evaluating import Progress, evaluate, measure_for
from leaderboard.services.labels import qrel_set_labels
from pooling.models import Collection, QrelSet, Run
from tournament.models import QrelVersion


def analyse_board_agreement(
    *,
    collection: Collection,
    version: QrelVersion,
    official: QrelSet,
    runs: Sequence[Run],
    seed: int = SEED,
    progress: Progress | None = None,
) -> Analysis:
    """Both boards with intervals and moves, their agreement, the sample's board against the full one, which qrels win
    their pairs, and which runs order pairs as people did (the judgments of the version's own campaign)."""
    published = leaderboard(
        collection=collection, version=version, official=official, runs=runs, seed=seed, progress=progress
    )
    known = contending(campaign=version.campaign, runs=runs, qrel_set=official)
    facts = Facts(
        collection=collection.name,
        runs=tuple(run.run_tag for run in runs),
        labels=(f"{official.name} (grade ≥ {official.min_grade})", f"@{version.number}"),
        measure=f"M{published.measure}",
        queries=published.board.queries,
        software=published.software,
        seed=seed,
        simulated=published.simulated,
        further=(("trials", f"{published.board.trials:,}"),),
    )
    board = _board_table(published, facts)
    tables = (
        board,
        _agreement_table(published, _full(collection, official, runs), facts),
        _wins_table(known, version.campaign, facts),
        _order_table(known, facts),
    )
    return Analysis(
        facts,
        tables,
        (_panels(published, facts, board), _against(published, facts, board)),
        (_sentence(published),),
    )


def _board_table(published: PublishedBoard, facts: Facts) -> Table:
    columns = (
        Column("run", "run"),
        Column("official", published.official, Kind.INTERVAL, facts.measure),
        Column("preference", "preference", Kind.INTERVAL, facts.measure),
        Column("rank_official", published.official, Kind.COUNT, "rank"),
        Column("rank_preference", "preference", Kind.COUNT, "rank"),
        Column("shift", "shift", Kind.TEXT, "rank"),
    )
    rows = [
        Row(
            {
                "run": row.run,
                "official": _interval(row.official),
                "preference": _interval(row.preference),
                "rank_official": row.rank_official,
                "rank_preference": row.rank_preference,
                "shift": f"{row.shift:+d}" if row.shift else "=",
            },
            faint=row.perfect,
        )
        for row in published.board.rows
    ]
    caption = (
        f"{published.board.level:.0%} percentile bootstrap intervals over queries; equal values share a rank. The "
        "perfect run counts in no rank and no correlation."
    )
    return Table("boards", "Official and preference qrels", caption, columns, tuple(rows), facts)


def _interval(estimate: Estimate) -> Interval:
    return Interval(estimate.value, estimate.low, estimate.high)


def _runs(published: PublishedBoard) -> list[BoardRow]:
    return sorted((row for row in published.board.rows if not row.perfect), key=lambda row: row.run)


def _full(collection: Collection, official: QrelSet, runs: Sequence[Run]) -> tuple[dict[str, float], int]:
    """Every run's official value over all queries that its labels can answer, and how many they are."""
    labels = qrel_set_labels(official)
    measure = measure_for("RR@10", labels)
    scored = evaluate(collection=collection, runs=runs, labels=labels, measures=[measure])
    found = {
        run.run_tag: float(scored[run.pk, measure.name].values[labels.answerable].mean()) for run in runs
    }
    return found, int(labels.answerable.sum())


def _agreement_table(published: PublishedBoard, full: tuple[dict[str, float], int], facts: Facts) -> Table:
    rows = _runs(published)
    official = [row.official.value for row in rows]
    preference = [row.preference.value for row in rows]
    whole = [full[0][row.run] for row in rows]
    lines = [
        _agreement("official against preference", official, preference),
        _agreement(f"official here against official on all {full[1]:,} queries", official, whole),
        _agreement(f"preference against official on all {full[1]:,} queries", preference, whole),
    ]
    columns = (
        Column("boards", "boards"),
        Column("tau_b", "τ-b", Kind.MEASURE),
        Column("tau_ap", "τ_AP", Kind.MEASURE),
        Column("agree", "agree", Kind.COUNT, "pairs of runs"),
        Column("disagree", "disagree", Kind.COUNT, "pairs of runs"),
        Column("tied", "tied", Kind.COUNT, "pairs of runs"),
    )
    caption = (
        "Kendall's τ-b, and τ_AP (Yilmaz et al. 2008; the first board against the second, ties broken at random), in "
        "which differences near the top of the first board weigh more."
    )
    return Table("agreement", "Agreement of boards", caption, columns, tuple(lines), facts)


def _agreement(name: str, first: Sequence[float], second: Sequence[float]) -> Row:
    # Means of RR@10 are multiples of 1/(2520·queries): round what floating point added.
    x, y = np.round(first, 12), np.round(second, 12)
    found = kendall(x, y)
    return Row(
        {
            "boards": name,
            "tau_b": found.tau_b,
            "tau_ap": tau_ap(x, y),
            "agree": found.agree,
            "disagree": found.disagree,
            "tied": found.tied,
        }
    )


def _wins_table(known: Contending, campaign: Campaign, facts: Facts) -> Table:
    judged = known.contenders.judged_pairs(known.evidence.judged)
    official: Flags = np.zeros(len(known.contenders.query), dtype=bool)
    official[list(known.qrels.values())] = True
    rows = [
        Row({"qrels": name, **_share(label_wins(labelled, judged))})
        for name, labelled in (("preference", best_flags(known)), ("official", official))
    ]
    columns = (
        Column("qrels", "qrels"),
        Column("won", "won", Kind.COUNT, "pairs with one of them"),
        Column("decided", "decided", Kind.COUNT, "pairs with one of them"),
        Column("share", "won", Kind.SHARE_INTERVAL, "pairs with one of them"),
    )
    caption = (
        f"How often a qrel was preferred to a passage without that label, in the judgments of {campaign.name}; "
        "majority of a pair's judgments, level pairs left out; 95 % Wilson intervals. Official: a query's one qrel."
    )
    return Table("pair_wins", "Which qrels win their pairs", caption, columns, tuple(rows), facts)


def _share(share: Share) -> dict[str, Any]:
    known = share.value is not None and share.low is not None and share.high is not None
    return {
        "won": share.count,
        "decided": share.total,
        "share": Interval(share.value, share.low, share.high) if known else None,  # type: ignore[arg-type]
    }


def _order_table(known: Contending, facts: Facts) -> Table:
    judged = known.contenders.judged_pairs(known.evidence.judged)
    found = sorted(ordered_pairs(known.contenders, judged), key=_by_share)
    columns = (
        Column("run", "run"),
        Column("won", "as people did", Kind.COUNT, "judged pairs in its top 10"),
        Column("decided", "all", Kind.COUNT, "judged pairs in its top 10"),
        Column("share", "as people did", Kind.SHARE_INTERVAL, "judged pairs in its top 10"),
    )
    caption = (
        "Of the judged pairs with both passages in a run's top 10, how many it orders as people did; majority of a "
        "pair's judgments, level pairs left out; 95 % Wilson intervals."
    )
    rows = tuple(Row({"run": row.run, **_share(row.as_people)}) for row in found)
    return Table("pair_order", "Runs that order pairs as people did", caption, columns, rows, facts)


def _by_share(row: OrderedPairs) -> tuple[float, str]:
    return -(row.as_people.value or 0.0), row.run


def _sentence(published: PublishedBoard) -> str:
    agreement = published.board.agreement
    tau = "not defined" if agreement.tau_b is None else f"{agreement.tau_b:.2f}"
    return (
        f"Official and preference qrels order {agreement.agree} pairs of runs alike and {agreement.disagree} "
        f"otherwise (Kendall's tau-b {tau})."
    )


def _panels(published: PublishedBoard, facts: Facts, board: Table) -> Figure:
    """One panel a set of labels, the runs in the order of that panel's own board."""
    rows = published.board.rows

    def draw(canvas: Any) -> None:
        from leaderboard.output.drawing import OFFICIAL, PREFERENCE, short

        panels = canvas.subplots(1, 2)
        for axes, name, color, title in (
            (panels[0], "official", OFFICIAL, f"{published.official} qrels"),
            (panels[1], "preference", PREFERENCE, "preference qrels"),
        ):
            by_value = sorted((-getattr(row, name).value, row.run, row) for row in rows)
            ordered = [row for _, _, row in by_value]
            estimates = [getattr(row, name) for row in ordered]
            places = np.arange(len(ordered))
            axes.hlines(places, [one.low for one in estimates], [one.high for one in estimates], color=color)
            for place, (row, one) in enumerate(zip(ordered, estimates, strict=True)):
                axes.plot(
                    one.value, place, "D" if row.perfect else "o", color="black" if row.perfect else color
                )
            axes.set_yticks(places, [short(row.run) for row in ordered])
            axes.set_title(title)
            axes.set_xlabel(facts.measure)
            axes.invert_yaxis()

    caption = "95 % bootstrap intervals over queries; diamond: the perfect run."
    height = max(2.4, 0.9 + 0.17 * len(rows))
    title = "Official and preference boards"
    chart = Spans(
        title,
        facts.measure,
        [row.run for row in rows],
        [
            Series(f"{published.official} qrels", [_mark(row.official) for row in rows]),
            Series("preference qrels", [_mark(row.preference) for row in rows]),
        ],
        notes=[_ranks(row) for row in rows],
    )
    return Figure("panels", title, caption, facts, draw, board, (chart_content(chart),), 7.0, height)


def _mark(one: Estimate) -> Mark:
    return one.value, one.low, one.high


def _against(published: PublishedBoard, facts: Facts, board: Table) -> Figure:
    """One column against the other; the perfect run would stretch the axis and is left to the panels."""
    rows = _runs(published)

    def draw(canvas: Any) -> None:
        from leaderboard.output.drawing import OFFICIAL, short

        axes = canvas.subplots()
        x, y = ([getattr(row, name).value for row in rows] for name in ("official", "preference"))
        errors = [
            [[one.value - one.low for one in side], [one.high - one.value for one in side]]
            for side in ([row.official for row in rows], [row.preference for row in rows])
        ]
        axes.errorbar(
            x, y, xerr=errors[0], yerr=errors[1], fmt="o", color=OFFICIAL, elinewidth=0.5, alpha=0.8
        )
        if len(rows) <= 30:
            for row, across, up in zip(rows, x, y, strict=True):
                axes.annotate(
                    short(row.run), (across, up), xytext=(3, 3), textcoords="offset points", fontsize=5
                )
        axes.set_xlabel(f"{facts.measure}, {published.official} qrels")
        axes.set_ylabel(f"{facts.measure}, preference qrels")

    caption = f"One point a run with both 95 % intervals; the {PERFECT} is left out."
    title = "One board against the other"
    charts = (chart_content(against_chart(published, facts.measure)),)
    return Figure("against", title, caption, facts, draw, board, charts, 4.5, 4.0)


def against_chart(published: PublishedBoard, measure: str) -> Points:
    """Every run but the perfect one: its value under preference qrels against that under official ones."""
    return Points(
        "One board against the other",
        f"{measure}, {published.official} qrels",
        f"{measure}, preference qrels",
        [Point(row.run, _mark(row.official), _mark(row.preference), _ranks(row)) for row in _runs(published)],
    )


def _ranks(row: BoardRow) -> str:
    return f"rank {row.rank_official}, then {row.rank_preference}"
