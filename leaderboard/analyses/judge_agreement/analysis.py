"""How well a campaign's judges agree, and whether they prefer a side, as tables and sentences."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from django.utils.crypto import salted_hmac

from judging.models import Campaign
from leaderboard.analyses.judge_agreement.computation import (
    ObservedAgreement,
    SideBias,
    observed_agreement,
    side_bias,
)
from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.label_noise.computation import UNKNOWN
from leaderboard.analyses.shared.loaded_contenders import LoadedContenders, load_contenders
from leaderboard.output import Analysis, Column, Facts, Figure, Kind, Row, Table
from leaderboard.output.chart import Series, Spans
from leaderboard.output.printed_charts import rows_figure
from leaderboard.output.table import interval_or_value, rows_of
from leaderboard.scoring.evaluation import Progress

ALPHA = 0.05


def analyse_judge_agreement(asked: Asked, _: Progress | None) -> Analysis:
    """Return the observed agreement P of a campaign, 2·P − 1, and the side bias of all judges and of each worker."""
    campaign, seed = asked.judged, asked.number("seed")
    known = load_contenders(campaign=campaign, runs=[])
    judged = known.contenders.judged_pairs(known.evidence.judged)
    query = known.contenders.query[judged.a]
    found = observed_agreement(judged, query, rng=np.random.default_rng(seed))
    everybody, workers = _side_biases(known, campaign)
    facts = known.table_facts(
        measure="judgments",
        queries=len(known.contenders.queries),
        seed=seed,
        further=(("level", str(ALPHA)),),
    )
    tables = [_observed_agreement_table(found, facts), _side_table("sides", "Side bias", [everybody], facts)]
    if workers:
        tables.append(_side_table("workers", "Side bias of workers", workers, facts))
    figure = _side_bias_figure([everybody, *workers], tables[-1])
    return Analysis(facts, tuple(tables), (figure,), tuple(_judging_sentences(found, everybody, workers)))


def _side_biases(known: LoadedContenders, campaign: Campaign) -> tuple[SideBias, list[SideBias]]:
    judged, worker = known.evidence.judged, known.evidence.worker
    answer = np.select([judged.preferred == judged.left, judged.preferred == judged.right], [0, 1], 2)
    total = np.bincount(answer, minlength=3).tolist()
    everybody = side_bias([campaign.name], *([count] for count in total))[0]
    coded = worker != UNKNOWN
    people = int(worker.max(initial=UNKNOWN)) + 1
    counts = np.zeros((3, people), dtype=np.int64)
    np.add.at(counts, (answer[coded], worker[coded]), 1)
    names = [_pseudonym(campaign, code) for code in range(people)]
    rows = side_bias(names, *counts.tolist()) if people else ()
    return everybody, sorted(rows, key=lambda row: (row.p_value, row.who))


def _pseudonym(campaign: Campaign, code: int) -> str:
    """Return a worker's pseudonym for this table only. It reveals no crowd id, no key and no order of arrival."""
    return "w-" + salted_hmac("leaderboard.judge_agreement", f"{campaign.name}:{code}").hexdigest()[:8]


def _observed_agreement_table(found: ObservedAgreement, facts: Facts) -> Table:
    columns = (
        Column("pairs", "pairs judged twice or more", Kind.COUNT),
        Column("queries", "queries", Kind.COUNT),
        Column("twos", "pairs of judgments", Kind.COUNT),
        Column("agreement", "observed agreement P", Kind.SHARE_INTERVAL),
        Column("beyond_chance", "2P − 1", Kind.INTERVAL),
        Column("error_rate", "implied error", Kind.SHARE),
    )
    rows = rows_of(
        [found],
        columns,
        agreement=lambda one: interval_or_value(one.estimate),
        beyond_chance=lambda one: interval_or_value(one.beyond_chance),
    )
    caption = (
        f"Share of agreeing judgments of the same pair; {found.level:.0%} intervals from {found.trials:,} resamples "
        "of whole queries. Implied error: the chance of a wrong judgment, the same for every worker, that gives P."
    )
    return Table("agreement", "Agreement", caption, columns, rows, facts)


def _side_table(key: str, title: str, rows: Sequence[SideBias], facts: Facts) -> Table:
    columns = (
        Column("who", "who"),
        Column("judgments", "judgments", Kind.COUNT),
        Column("left", "left preferred", Kind.SHARE_INTERVAL),
        Column("undecided", "undecided", Kind.COUNT),
        Column("p", "p", Kind.P),
        Column("corrected", "p, corrected", Kind.P),
    )
    caption = (
        "Share of judgments for the left side among judgments that prefer a side; exact (Clopper-Pearson) 95% "
        "intervals and exact binomial test of even odds, both assuming independent judgments."
    )
    marks = f"p < {ALPHA}" + (f", Bonferroni over {len(rows)} workers" if len(rows) > 1 else "")
    return Table(key, title, caption, columns, tuple(map(_side_row, rows)), facts, significance=marks)


def _side_row(row: SideBias) -> Row:
    return Row(
        {
            "who": row.who,
            "judgments": row.left.total + row.undecided,
            "left": interval_or_value(row.left.estimate),
            "undecided": row.undecided,
            "p": row.p_value,
            "corrected": row.corrected,
        },
        significant=frozenset({"corrected"} if row.corrected < ALPHA else ()),
    )


def _judging_sentences(
    found: ObservedAgreement, everybody: SideBias, workers: Sequence[SideBias]
) -> list[str]:
    said = []
    if found.value is None:
        said.append("No pair was judged more than once, so agreement is unknown.")
    else:
        said.append(
            f"Two judgments of the same pair agree in {found.value:.1%} of cases "
            f"(2P - 1 = {2 * found.value - 1:.3f})."
        )
    if everybody.left.value is not None:
        said.append(f"The left side was preferred in {everybody.left.value:.1%} of judgments.")
    if workers:
        biased = sum(row.corrected < ALPHA for row in workers)
        said.append(f"{biased} of {len(workers)} workers significantly prefer a side.")
    return said


def _side_bias_figure(rows: Sequence[SideBias], table: Table) -> Figure:
    """Plot how often all judges and each worker preferred the left side; the marker is filled if significant."""

    def mark(canvas: Any) -> None:
        from leaderboard.output.drawing import OFFICIAL

        (axes,) = canvas.axes
        for place, row in enumerate(rows):
            if row.left.value is not None and row.corrected >= ALPHA:
                axes.plot(row.left.value, place, "o", color=OFFICIAL, mfc="white")
        axes.set_xlim(0, 1)

    caption = f"{table.caption} Filled: p < {ALPHA}, corrected."
    series = [Series("left side", [row.left.estimate for row in rows])]
    axis = "share of judgments that prefer the left side"
    chart = Spans("Side bias", axis, [row.who for row in rows], series, share=True, line=0.5)
    return rows_figure("sides", "Side bias", caption, [chart], table, mark)
