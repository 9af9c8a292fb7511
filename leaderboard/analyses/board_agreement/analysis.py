"""How well official and preference qrels agree about runs: both boards side by side, and wins in judged pairs."""

from collections.abc import Sequence

import numpy as np

from judging.models import Campaign
from leaderboard.analyses.board_agreement.computation import label_wins, ordered_pairs
from leaderboard.analyses.board_agreement.figure import official_order_figure
from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.shared.contenders import Flags
from leaderboard.analyses.shared.loaded_contenders import LoadedContenders, best_flags, load_contenders
from leaderboard.analyses.two_boards.analysis import agreement_caption, agreement_cells, agreement_columns
from leaderboard.analyses.two_boards.computation import DECIMALS, PERSISTENCE, two_boards
from leaderboard.board.board_output import agreement_in_words, board_analysis, own_rows
from leaderboard.board.boards import PublishedBoard, make_leaderboard
from leaderboard.board.standings import PERFECT
from leaderboard.errors import WrongSetting
from leaderboard.output import Analysis, Column, Facts, Kind, Row, Table
from leaderboard.output.table import interval_or_value, rows_of
from leaderboard.scoring.agreement import competition_ranks
from leaderboard.scoring.chosen_runs import official_set
from leaderboard.scoring.evaluation import Progress, evaluate, measure_for
from leaderboard.scoring.labels import qrel_set_labels
from pooling.models import Collection, QrelSet, Run
from tournament.services.publication import version_numbered


def analyse_board_agreement(asked: Asked, progress: Progress | None) -> Analysis:
    """Return the official and the preference board with intervals and changes of rank, and their agreement.

    Also compares the board on the version's queries with the board on all queries of the qrel set. From the judgments
    of the version's campaign, counts how often qrels win their pairs, and how many pairs each run orders as people
    did.
    """
    collection, runs = asked.collection, asked.runs
    number = asked.text("version")
    if number and not number.isdecimal():
        raise WrongSetting(f"The version cannot be {number[:20]!r}.", "Enter the number of a version.")
    version = version_numbered(collection, int(number) if number else None)
    official = official_set(collection, asked.text("official") or None)
    published = make_leaderboard(
        collection=collection,
        version=version,
        official=official,
        runs=runs,
        seed=asked.number("seed"),
        progress=progress,
    )
    known = load_contenders(campaign=version.campaign, runs=runs, qrel_set=official)
    both = board_analysis(published)
    facts = both.facts
    full = _official_means(collection, official, runs)
    tables = (
        *both.tables,
        full_board_table(published, full, facts),
        _agreements_table(published, full, facts),
        _qrel_wins_table(known, version.campaign, published.official, facts),
        _pair_order_table(known, facts),
    )
    return Analysis(
        facts,
        tables,
        (
            *both.figures,
            official_order_figure(published.board.rows, published.official, both.tables[0]),
        ),
        (agreement_in_words(published),),
    )


def _official_means(
    collection: Collection, official: QrelSet, runs: Sequence[Run]
) -> tuple[dict[str, float], int]:
    """Return run tag → mean RR@10 over all queries with an official relevant passage, and the number of queries."""
    labels = qrel_set_labels(official)
    measure = measure_for("RR@10", labels)
    scored = evaluate(collection=collection, runs=runs, labels=labels, measures=[measure])
    found = {
        run.run_tag: float(scored[run.pk, measure.name].values[labels.answerable].mean()) for run in runs
    }
    return found, int(labels.answerable.sum())


def full_board_table(published: PublishedBoard, full: tuple[dict[str, float], int], facts: Facts) -> Table:
    """Return Table 3 of [SP]: official values on all queries, and both values on the version's queries."""
    whole = {tag: round(value, DECIMALS) for tag, value in full[0].items()}
    placed = dict(zip(whole, competition_ranks(list(whole.values())).tolist(), strict=True))
    ordered = sorted(published.board.rows, key=lambda row: (not row.perfect, placed.get(row.run, 0), row.run))
    rows = tuple(
        Row(
            {
                "run": row.run,
                "all": 1.0 if row.perfect else whole[row.run],
                "rank_all": None if row.perfect else placed[row.run],
                "official": row.official.value,
                "rank_official": None if row.perfect else row.official.rank,
                "preference": row.leading.value,
                "rank_preference": row.leading.rank,
            },
            faint=row.perfect,
        )
        for row in ordered
    )
    here = f"{published.official}, {published.board.queries:,} queries"
    everywhere = f"{published.official}, all {full[1]:,} queries"
    columns = (
        Column("run", "run"),
        Column("all", "value", Kind.MEASURE, everywhere),
        Column("rank_all", "rank", Kind.COUNT, everywhere),
        Column("official", "value", Kind.MEASURE, here),
        Column("rank_official", "rank", Kind.COUNT, here),
        Column("preference", "value", Kind.MEASURE, "preference, the same queries"),
        Column("rank_preference", "rank", Kind.COUNT, "preference, the same queries"),
    )
    caption = (
        f"{facts.measure} of every run on all queries of the qrel set and on the queries of this board (Arabzadeh et "
        f"al. 2022, table 3). Equal values share a rank. The {PERFECT} is not counted in other runs' ranks."
    )
    return Table("all_queries", "All queries and these queries", caption, columns, rows, facts)


def _agreements_table(published: PublishedBoard, full: tuple[dict[str, float], int], facts: Facts) -> Table:
    rows = own_rows(published)
    official = [row.official.value for row in rows]
    preference = [row.leading.value for row in rows]
    whole = [full[0][row.run] for row in rows]
    name, everywhere = published.official, f"{published.official} on all {full[1]:,} queries"
    sides = (
        (f"{name} against preference", official, preference),
        (f"{name} here against {everywhere}", official, whole),
        (f"preference against {everywhere}", preference, whole),
    )
    taus = ("tau_ap", "tau_ap_back")
    lines = [
        Row({"boards": boards, **agreement_cells(two_boards(first, second), *taus)})
        for boards, first, second in sides
    ]
    columns = (Column("boards", "boards"), *agreement_columns(*taus))
    caption = agreement_caption(PERSISTENCE)
    return Table("agreement", "Agreement of boards", caption, columns, tuple(lines), facts)


def _qrel_wins_table(known: LoadedContenders, campaign: Campaign, name: str, facts: Facts) -> Table:
    judged = known.contenders.judged_pairs(known.evidence.judged)
    official: Flags = np.zeros(len(known.contenders.query), dtype=bool)
    official[list(known.qrels.values())] = True
    won = [("preference", label_wins(best_flags(known), judged)), (name, label_wins(official, judged))]
    rows = [
        Row.of(qrels=qrels, won=share.count, decided=share.total, share=interval_or_value(share.estimate))
        for qrels, share in won
    ]
    columns = (
        Column("qrels", "qrels"),
        Column("won", "won", Kind.COUNT, "pairs with one of them"),
        Column("decided", "decided", Kind.COUNT, "pairs with one of them"),
        Column("share", "won", Kind.SHARE_INTERVAL, "pairs with one of them"),
    )
    caption = (
        f"How often a qrel was preferred to a passage without that label, in the judgments of {campaign.name}; "
        "majority of a pair's judgments, tied pairs left out; 95% Wilson intervals. "
        f"For {name}: a query's one qrel."
    )
    return Table("pair_wins", "Which qrels win their pairs", caption, columns, tuple(rows), facts)


def _pair_order_table(known: LoadedContenders, facts: Facts) -> Table:
    judged = known.contenders.judged_pairs(known.evidence.judged)
    found = sorted(
        ordered_pairs(known.contenders, judged), key=lambda row: (-(row.as_people.value or 0.0), row.run)
    )
    columns = (
        Column("run", "run"),
        Column("won", "as people did", Kind.COUNT, "judged pairs in its top 10"),
        Column("decided", "all", Kind.COUNT, "judged pairs in its top 10"),
        Column("share", "as people did", Kind.SHARE_INTERVAL, "judged pairs in its top 10"),
    )
    caption = (
        "How many of the judged pairs with both passages in a run's top 10 it orders as people did; majority of a "
        "pair's judgments, tied pairs left out; 95% Wilson intervals."
    )
    rows = rows_of(
        found,
        columns,
        won=lambda row: row.as_people.count,
        decided=lambda row: row.as_people.total,
        share=lambda row: row.as_people,
    )
    return Table("pair_order", "Runs that order pairs as people did", caption, columns, rows, facts)
