"""A board as a table and figures, for the command `leaderboard`, downloads and the analysis of board agreement."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from leaderboard.board.boards import PublishedBoard, as_dict
from leaderboard.board.standings import PERFECT, BoardRow, Standing, best_as_shown, standing_out
from leaderboard.output import Analysis, Column, Facts, Figure, Interval, Kind, Row, Table
from leaderboard.output.chart import Point, Points, Series, Spans
from leaderboard.output.printed_charts import points_figure, rows_figure

#: The maximum number of runs that are all named in the figure of one board against the other. With more, it names the
#: top runs and the runs that move most.
NAMED_ALL = 30
NAMED_OF_EACH = 5
NAMED = (
    f"Named: the first {NAMED_OF_EACH} runs of each board, the {NAMED_OF_EACH} that rise most and the "
    f"{NAMED_OF_EACH} that fall most. "
    "The table has every run."
)


def board_analysis(published: PublishedBoard, *, axes_of: Sequence[BoardRow] = ()) -> Analysis:
    """Return the board as a table, figures, sentences and content for JSON.

    Axes of figures also cover the rows ``axes_of``, so that filtering runs does not change the axes.
    """
    facts = board_facts(published)
    board = board_table(published, facts)
    said = [_board_sentence(published)]
    said += [agreement_in_words(published)] if board_has_preferences(published) else []
    said += [published.left_out_sentence] if published.left_out else []
    said += ["Some judges of this version were simulated."] if published.simulated else []
    return Analysis(
        facts=facts,
        tables=(board,),
        figures=(
            _panels_figure(published, board, axes_of),
            *([_against_figure(published, board, axes_of)] if board_has_preferences(published) else []),
        ),
        sentences=tuple(said),
        content=as_dict(published),
    )


def board_facts(published: PublishedBoard) -> Facts:
    """Return the facts about the board's inputs that every table and figure states."""
    board = published.board
    return Facts(
        collection=published.collection,
        runs=tuple(row.run for row in own_rows(published)),
        labels=(
            f"{published.official} (relevant from grade {published.min_grade})",
            *([f"version {published.version}"] if published.version else []),
        ),
        measure=published.mean,
        queries=board.queries,
        software=published.software,
        seed=board.seed,
        simulated=published.simulated,
        further=(
            *(
                [("open", f"{published.open:,}"), ("singletons", f"{published.singletons:,}")]
                if published.version
                else []
            ),
            ("trials", f"{board.trials:,}"),
        ),
    )


def board_has_preferences(published: PublishedBoard) -> bool:
    """Return whether the board also has values under preference qrels."""
    return published.version is not None


def labels_title(name: str) -> str:
    """Return the heading for values under a qrel set: its name, but ``Official`` for the set ``official``."""
    return name.capitalize() if name == "official" else name


def board_table(published: PublishedBoard, facts: Facts) -> Table:
    """Return the table of the board, with one row per run, best first."""
    sets = _label_columns(published)
    both = len(sets) > 1
    official, leading = published.official, "preference" if both else published.official
    columns = [
        Column("run", "run"),
        *(Column(side, name, Kind.INTERVAL, facts.measure) for side, name in sets),
        *(Column(f"rank_{side}", name, Kind.COUNT, "rank") for side, name in sets),
        Column("first", leading, Kind.COUNT, "rank from"),
        Column("last", leading, Kind.COUNT, "to"),
        *([Column("shift", "shift", Kind.SHIFT, "rank")] if both else []),
        *(Column(f"answered_{side}", name, Kind.SHARE, "answered (%)") for side, name in sets),
        *([Column("judged_tops", "judged tops", Kind.SHARE)] if published.tells_judged_tops else []),
        *([Column("baseline", "baseline")] if published.baselines else []),
    ]
    best = {side: best_as_shown(published.board.rows, side) for side, _ in sets}
    rows = tuple(_board_row(published, row, best) for row in published.board.rows)
    title = f"{labels_title(official)} and preference qrels" if both else f"{official} qrels"
    return Table("boards", title, _board_caption(published, facts), tuple(columns), rows, facts)


def _board_caption(published: PublishedBoard, facts: Facts) -> str:
    lower = "" if published.higher_is_better else " (lower is better)"
    level, bounded = published.board.level, published.bounded
    intervals = (
        f"with {level:.0%} percentile bootstrap intervals over queries" if bounded else "without intervals"
    )
    if len(bounded) < len(_label_columns(published)) and bounded:
        intervals += f" under {bounded[0]} qrels only"
    said = (
        f"{facts.measure}{lower} {intervals}. {published.tie_rule} "
        "Rank from: 1 + the number of significantly better runs; to: the number of runs, this one included, that "
        f"are not significantly worse (all pairs tested at once, {level:.0%})."
    )
    if not board_has_preferences(published):
        return said
    said += " A shift is positive for a run that moves up under preference qrels."
    if any(row.perfect for row in published.board.rows):
        said += (
            f" The perfect run returns the {published.official} qrel of every query and nothing else. It is left out "
            "of ranks and correlations."
        )
    if published.tells_judged_tops:
        said += " Judged tops: share of queries whose top passage was judged."
    return said


def _board_row(published: PublishedBoard, row: BoardRow, best: Mapping[str, frozenset[str]]) -> Row:
    cells: dict[str, Any] = {"run": row.run, "baseline": "yes" if row.run in published.baselines else None}
    for side in best:
        one: Standing = getattr(row, side)
        cells |= {side: Interval(*one.estimate), f"rank_{side}": one.rank, f"answered_{side}": one.answered}
    cells |= {"first": row.leading.first, "last": row.leading.last}
    if row.preference:
        cells |= {"shift": row.shift, "judged_tops": row.judged_tops}
    marked = frozenset(side for side, runs in best.items() if row.run in runs)
    return Row(cells, best=marked, faint=row.perfect)


def own_rows(published: PublishedBoard) -> list[BoardRow]:
    """Return the board's rows in order of run tags, without the perfect run."""
    return sorted((row for row in published.board.rows if not row.perfect), key=lambda row: row.run)


def _span(rows: Sequence[BoardRow], name: str) -> tuple[float, ...]:
    """Return the lowest and the highest number in a column's values and bounds; empty if it has none."""
    ends = [end for row in rows for end in getattr(row, name).estimate if not math.isnan(end)]
    return (min(ends), max(ends)) if ends else ()


def _board_sentence(published: PublishedBoard) -> str:
    relevant = f"(relevant from grade {published.min_grade})"
    if not board_has_preferences(published):
        return (
            f"{published.collection}: {published.mean} of {published.runs:,} runs over {published.board.queries:,} "
            f"queries under {published.official} {relevant}. The board uses these labels alone."
        )
    return (
        f"{published.collection}, version {published.version}: {published.mean} of {published.runs:,} runs over "
        f"{published.board.queries:,} queries ({published.open:,} open, {published.singletons:,} singletons) that "
        f"{published.official} also covers {relevant}."
    )


def agreement_in_words(published: PublishedBoard) -> str:
    """Return a sentence on how many pairs of runs both boards order alike. The board must have preferences."""
    agreement = published.board.agreement
    assert agreement is not None
    tau = "not defined" if agreement.tau_b is None else f"{agreement.tau_b:.2f}"
    return (
        f"{labels_title(published.official)} and preference qrels order {agreement.agree:,} pairs of runs alike and "
        f"{agreement.disagree:,} otherwise (Kendall's tau-b {tau})."
    )


def _panels_figure(published: PublishedBoard, board: Table, axes_of: Sequence[BoardRow]) -> Figure:
    """Return a figure with one panel per set of labels, in which runs are in the order under these labels."""
    sides = _label_columns(published)
    rows = published.board.rows
    charts = [
        _board_chart(published, side, f"{name} qrels", color, _span(axes_of, side))
        for color, (side, name) in enumerate(sides)
    ]

    def mark(canvas: Any) -> None:
        for axes, (side, _) in zip(canvas.axes, sides, strict=True):
            for place, row in enumerate(_ordered_rows(rows, side)):
                if row.perfect:
                    axes.plot(getattr(row, side).value, place, "D", color="black")
        if len(sides) > 1:
            canvas.axes[1].yaxis.tick_right()
            _draw_moves(canvas, rows)

    bounded = published.bounded
    caption = "95% bootstrap intervals over queries" if bounded else "Values without intervals"
    caption += f", under {bounded[0]} qrels only." if bounded and len(bounded) < len(sides) else "."
    if len(sides) > 1:
        caption += (
            " In the downloads, a diamond is the perfect run, and lines lead from the order by "
            f"{published.official} to the order by preference: green for runs that rise, purple for runs that fall."
        )
    both = f"{labels_title(published.official)} and preference boards"
    title = both if len(sides) > 1 else f"Board under {published.official} qrels"
    return rows_figure("panels", title, caption, charts, board, mark)


def _draw_moves(canvas: Any, rows: Sequence[BoardRow]) -> None:
    """Draw a line from each run's position in the left panel to its position in the right panel."""
    from matplotlib.patches import ConnectionPatch

    from leaderboard.output.drawing import GRAY, OKABE_ITO

    left, right = ([row.run for row in _ordered_rows(rows, name)] for name in ("official", "preference"))
    for row in rows:
        before, after = left.index(row.run), right.index(row.run)
        color = GRAY if before == after else OKABE_ITO[2] if after < before else OKABE_ITO[3]
        line = ConnectionPatch(
            (1, before),
            (0, after),
            *(axes.get_yaxis_transform() for axes in canvas.axes),
            color=color,
            linewidth=0.7,
            linestyle="dashed" if row.perfect else "solid",
        )
        canvas.add_artist(line)


def _label_columns(published: PublishedBoard) -> list[tuple[str, str]]:
    """Return (attribute of a row, name) for each set of labels that the board shows."""
    both = [("official", published.official), ("preference", "preference")]
    return both if board_has_preferences(published) else both[:1]


def _ordered_rows(rows: Sequence[BoardRow], name: str) -> list[BoardRow]:
    """Return the rows by rank under one set of labels (``name``: the attribute of a row)."""
    return sorted(rows, key=lambda row: (getattr(row, name).rank, not row.perfect, row.run))


def _board_chart(
    published: PublishedBoard, name: str, title: str, color: int, span: tuple[float, ...]
) -> Spans:
    rows = _ordered_rows(published.board.rows, name)
    return Spans(
        title[:1].upper() + title[1:],
        published.mean,
        [row.run for row in rows],
        [Series(title, [getattr(row, name).estimate for row in rows])],
        notes=[_ranks_in_words(row) for row in rows],
        first_colour=color,
        span=span,
    )


def _against_figure(published: PublishedBoard, board: Table, axes_of: Sequence[BoardRow]) -> Figure:
    """Plot preference values against official values, without the perfect run, which would stretch the axis."""
    rows, measure = own_rows(published), published.mean
    others = [row for row in axes_of if not row.perfect]
    chosen = rows if len(rows) <= NAMED_ALL else standing_out(rows, NAMED_OF_EACH)
    named = {row.run for row in chosen}
    note = NAMED if len(named) < len(rows) else ""
    # If two names overlap, the run that ranks higher keeps its name.
    by_rank = sorted(range(len(rows)), key=lambda place: rows[place].leading.rank)
    chart = Points(
        "One board against the other",
        f"{measure}, {published.official} qrels",
        f"{measure}, preference qrels",
        [Point(row.run, row.official.estimate, row.leading.estimate, _ranks_in_words(row)) for row in rows],
        named=[place for place in by_rank if rows[place].run in named],
        note=note,
        x_span=_span(others, "official"),
        y_span=_span(others, "leading"),
    )
    bounded = published.bounded
    intervals = f" with its 95% interval under {bounded[0]} qrels" if bounded else ""
    intervals = " with both 95% intervals" if len(bounded) > 1 else intervals
    caption = f"One point per run{intervals}; the {PERFECT} is left out. {note}".strip()
    return points_figure("against", caption, chart, board)


def _ranks_in_words(row: BoardRow) -> str:
    if row.preference is None:
        return f"rank {row.official.rank}"
    return f"rank {row.official.rank}, then {row.preference.rank}"
