"""Better than perfect: create the campaign that compares a run with qrels, and analyze the judges' preferences."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from django.db import transaction

from config.guidance import Action, Guidance, TerminalOnly
from config.plurals import many
from judging.campaign.campaigns import CampaignSettings, create_campaign
from judging.models import Campaign, Judgment
from leaderboard.analyses.better_than_perfect.computation import (
    Category,
    Comparison,
    Comparisons,
    Preferred,
    comparisons,
    who_was_preferred,
)
from leaderboard.analyses.shared.proportions import Interval as Method
from leaderboard.errors import NothingToScore
from leaderboard.output import Analysis, Column, Facts, Figure, Kind, Table
from leaderboard.output.chart import Series, Spans
from leaderboard.output.numbers import number_text
from leaderboard.output.printed_charts import rows_figure
from leaderboard.output.table import interval_or_value, rows_of
from leaderboard.scoring.labels import qrel_set_labels
from leaderboard.scoring.score_facts import scoring_facts
from pooling.files.formats import Progress
from pooling.models import Passage, PoolRun, Qrel, QrelSet, Run
from pooling.passages import passages
from pooling.pools.pools import Duel, build_pair_pool
from pooling.rules.shallow import draw_queries
from pooling.runs.runs import tops_of
from pooling.storage import bulk
from tournament.services.judged_facts import settled_rounds

#: Number of top ranks to search for a passage whose text differs from the qrel's.
LOOKED_AT = 10
KEYS_AT_ONCE = 5000
#: If there are more qrels than this, they are looked up with a subquery instead of by pid.
FEW_QRELS = 500


@dataclass(frozen=True)
class AskingCampaign:
    """A campaign that asks whether a run is better than perfect, and the queries it could not ask about."""

    campaign: Campaign
    found: Comparisons

    def count(self, category: Category) -> int:
        """Return how many queries of a category the campaign asks about."""
        return sum(one.category is category for one in self.found.asked)


def run_comparisons(run: Run, qrel_set: QrelSet, qids: Collection[str] | None = None) -> Comparisons:
    """Compare the run with the qrels of all queries that have a relevant passage in the qrel set.

    With ``qids``, only these queries are compared.
    """
    qrels = {
        qid: pid for qid, pid in qrel_set_labels(qrel_set).the_qrel().items() if qids is None or qid in qids
    }
    tops = tops_of(run, LOOKED_AT)
    return comparisons(tops, qrels, _text_classes(run.collection_id, set(qrels.values()), qrel_set))


def _text_classes(collection: int, qrels: set[str], labels: QrelSet | None = None) -> dict[str, str]:
    """Return pid → text key for the qrels and all passages with the same text as one of them, if the text is known.

    If there are many qrels, the result covers all passages labeled in ``labels`` instead. Reading the extra rows is
    faster than a query that lists thousands of pids.
    """
    known = Passage.objects.filter(collection=collection)
    if labels and len(qrels) > FEW_QRELS:
        parts = [known.filter(pk__in=Qrel.objects.filter(qrel_set=labels).values("passage"))]
    else:
        parts = [known.filter(pid__in=part) for part in bulk.parts(qrels, KEYS_AT_ONCE)]
    found: dict[str, str] = {}
    for labeled in parts:
        texts = labeled.exclude(class_key="").values("class_key")
        found |= dict(known.filter(class_key__in=texts).values_list("pid", "class_key"))
    return found


def comparisons_to_ask(run: Run, qrel_set: QrelSet, *, sample: int | None, seed: int) -> Comparisons:
    """Return the comparisons for a campaign to ask about: for every query, or for ``sample`` queries drawn at random.

    Only texts that are already stored are used to find identical passages. Raises :class:`NothingToScore` if the run
    and the qrel set leave nothing to compare.
    """
    every = run_comparisons(run, qrel_set)
    if not every.asked:
        raise _nothing_to_compare(run, qrel_set)
    if sample is None:
        return every
    qids = set(draw_queries([one.qid for one in every.asked], sample, np.random.default_rng(seed)))
    return replace(every, asked=tuple(one for one in every.asked if one.qid in qids))


def _nothing_to_compare(run: Run, qrel_set: QrelSet) -> NothingToScore:
    return NothingToScore(
        f"{run.run_tag} has no passage to compare with a qrel of {qrel_set.name}.",
        "Choose another run or another qrel set.",
    )


def ask_better_than_perfect(
    *,
    name: str,
    run: Run,
    qrel_set: QrelSet,
    settings: CampaignSettings,
    sample: int | None = None,
    who: str = "",
    progress: Progress | None = None,
) -> AskingCampaign:
    """Create a draft campaign that asks about every query, or about a sample drawn with the campaign's seed.

    Also creates a pool of the same name with the pairs, and fetches the texts of their passages. Raises
    :class:`NothingToScore` if the run and the qrel set leave nothing to compare.
    """
    every = comparisons_to_ask(run, qrel_set, sample=sample, seed=settings.seed)
    found = _compare_with_texts(run, qrel_set, {one.qid for one in every.asked}, progress)
    if not found.asked:
        raise _nothing_to_compare(run, qrel_set)
    duels = [Duel(one.qid, one.qrel, one.other, one.category is Category.A) for one in found.asked]
    with transaction.atomic():
        pool = build_pair_pool(name=name, run=run, qrel_set=qrel_set, duels=duels)
        campaign = create_campaign(name=name, settings=settings, pool=pool, who=who)
    alone = every.nothing_second + found.nothing_second
    return AskingCampaign(campaign, Comparisons(found.asked, every.missing, alone))


def _compare_with_texts(
    run: Run, qrel_set: QrelSet, qids: set[str], progress: Progress | None
) -> Comparisons:
    """Return the comparisons after fetching the texts of their passages.

    Fetched texts can show that two passages are identical, which changes the comparisons. So this repeats until the
    comparisons stay the same.
    """
    found = run_comparisons(run, qrel_set, qids)
    while True:
        pids = [pid for one in found.asked for pid in (one.qrel, one.other)]
        passages.ensure(collection=run.collection, pids=pids, progress=progress)
        again = run_comparisons(run, qrel_set, qids)
        if again == found:
            return found
        found = again


def analyse_better_than_perfect(
    *,
    campaign: Campaign,
    run: Run | None = None,
    qrel_set: QrelSet | None = None,
    interval: Method = Method.WILSON,
) -> Analysis:
    """Analyze how often the qrel and the run's passage were preferred in each category, from a campaign's judgments.

    A campaign created for this analysis stores its run and qrel set. For any other campaign, pass the run and the
    qrel set; only judgments of their pairs are used. Raises :class:`NothingToScore` if a run or qrel set is missing,
    or if no counted judgment compares the two.
    """
    run, qrel_set = _run_and_qrel_set(campaign, run, qrel_set)
    found = run_comparisons(run, qrel_set)
    said, simulated = _counted_judgments(campaign, found.asked)
    if not said:
        raise NothingToScore(
            f"No judgment of {campaign.name} compares {run.run_tag} with {qrel_set.name}.",
            Guidance("Wait for judgments, or collect some: ", Action("ask_better_than_perfect", lead="")),
        )
    rows = who_was_preferred(found.asked, said, interval=interval)
    facts = scoring_facts(
        campaign.collection,
        [run],
        [qrel_set.name, f"judgments of {campaign.name}"],
        "preferred passages",
        len(found.asked),
        simulated=simulated,
        further=[("interval", _INTERVAL[interval])],
    )
    return preferred_analysis(rows, found, facts, run.run_tag)


_INTERVAL = {Method.WILSON: "95% Wilson", Method.EXACT: "95% exact (Clopper-Pearson)"}


def _run_and_qrel_set(campaign: Campaign, run: Run | None, qrel_set: QrelSet | None) -> tuple[Run, QrelSet]:
    pooled = [row.run for row in PoolRun.objects.filter(pool=campaign.pool_id).select_related("run")]
    if run is None and len(pooled) == 1:
        run = pooled[0]
    if qrel_set is None and campaign.pool is not None:
        qrel_set = campaign.pool.qrel_set
    if run is None or qrel_set is None:
        raise NothingToScore(
            f"{campaign.name} was not created from one run and one qrel set.",
            Guidance(
                "Name a run",
                TerminalOnly(" with --run TAG"),
                " and a qrel set",
                TerminalOnly(" with --official SET"),
                ".",
            ),
        )
    return run, qrel_set


def _counted_judgments(
    campaign: Campaign, asked: Sequence[Comparison]
) -> tuple[dict[str, tuple[int, int]], bool]:
    """Return qid → (judgments for the qrel, judgments for the other passage), and whether any judgment is simulated.

    Judgments of another pair also count if its two texts are the same as this pair's.
    """
    pids = {pid for one in asked for pid in (one.qrel, one.other)}
    rows = list(
        Judgment.objects.filter(campaign=campaign, pair__round__in=settled_rounds(campaign))
        .counted()
        .values_list(
            "pair__query__qid",
            "left__pid", "left__class_key", "right__pid", "right__class_key", "preferred__pid", "judge_kind",
        )
        .iterator(chunk_size=KEYS_AT_ONCE)
    )  # fmt: skip
    key_of = _text_classes(campaign.collection_id, pids)
    wanted = {one.qid: (key_of.get(one.qrel, one.qrel), key_of.get(one.other, one.other)) for one in asked}
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    simulated = False
    for qid, left, left_key, right, right_key, preferred, kind in rows:
        sides = {left: left_key or left, right: right_key or right}
        if qid in wanted and set(wanted[qid]) == set(sides.values()):
            counts[qid][0] += sides.get(preferred) == wanted[qid][0]
            counts[qid][1] += sides.get(preferred) == wanted[qid][1]
            simulated |= kind == Judgment.JudgeKind.SIMULATED
    return {qid: (ours, theirs) for qid, (ours, theirs) in counts.items()}, simulated


_CATEGORY_WORDS: Mapping[str, str] = {
    "A": "A: qrel on top, against the second passage",
    "B": "B: qrel elsewhere, against the top passage",
    "both": "both",
}
_COLUMNS = (
    Column("category", "category"),
    Column("queries", "queries", Kind.COUNT),
    Column("judged", "judged", Kind.COUNT),
    Column("qrel", "qrel", Kind.COUNT, "preferred"),
    Column("run", "run's passage", Kind.COUNT, "preferred"),
    Column("neither", "neither", Kind.COUNT, "preferred"),
    Column("qrel_share", "qrel", Kind.SHARE_INTERVAL, "share of queries with a preference"),
    Column("run_share", "run's passage", Kind.SHARE_INTERVAL, "share of queries with a preference"),
    Column("p", "p", Kind.P),
)


def preferred_analysis(rows: Sequence[Preferred], found: Comparisons, facts: Facts, run_tag: str) -> Analysis:
    """Return the analysis of the preferences: a table and a figure of both categories, and a sentence for each."""
    caption = (
        "A query's known relevant passage (qrel) against a passage of the run. Intervals: "
        f"{dict(facts.further)['interval']}; p: exact binomial test of even odds, uncorrected."
    )
    left = [
        f"{many(len(qids), f'query {one}', f'queries {more}')}{why}."
        for qids, one, more, why in (
            (found.missing, "is", "are", " missing in the run"),
            (found.nothing_second, "has", "have", " the qrel on top and no other text below it"),
        )
        if qids
    ]
    table = Table(
        "preferred",
        f"Better than perfect? {run_tag}",
        caption,
        _COLUMNS,
        rows_of(
            rows,
            _COLUMNS,
            category=lambda row: _CATEGORY_WORDS[row.category],
            qrel=lambda row: row.qrel_preferred.count,
            run=lambda row: row.comparison_preferred.count,
            qrel_share=lambda row: row.qrel_preferred,
            run_share=lambda row: row.comparison_preferred,
            p=lambda row: row.p_value if row.qrel_preferred.total else None,
        ),
        facts,
        tuple(left),
    )
    return Analysis(
        facts=facts,
        tables=(table,),
        figures=(_preferred_figure(rows, caption, table),),
        sentences=tuple(
            _preference_sentence(row, run_tag) for row in rows if row.category != "both" and row.judged
        ),
        content={"missing": len(found.missing), "nothing_second": len(found.nothing_second)},
    )


def _preference_sentence(row: Preferred, run_tag: str) -> str:
    side = row.qrel_preferred if row.category == "A" else row.comparison_preferred
    who = "the qrel" if row.category == "A" else f"the top passage of {run_tag}"
    of = f"the {side.total:,} queries with a preference ({row.queries:,} in all)"
    if side.value is None:
        return f"Category {row.category}: people preferred neither."
    share = number_text(interval_or_value(side.estimate), Kind.SHARE_INTERVAL)
    return f"Category {row.category}: people preferred {who} for {share}% of {of}."


def _preferred_figure(rows: Sequence[Preferred], caption: str, table: Table) -> Figure:
    drawn = [row for row in rows if row.comparison_preferred.value is not None and row.category != "both"]
    sides = (("qrel", "qrel_preferred"), ("run's passage", "comparison_preferred"))
    series = [Series(name, [getattr(row, side).estimate for row in drawn]) for name, side in sides]
    names = [_CATEGORY_WORDS[row.category] for row in drawn]
    axis = "share of queries with a preference"
    chart = Spans(table.title, axis, names, series, share=True, line=0.5)

    def mark(canvas: Any) -> None:
        from leaderboard.output.drawing import OFFICIAL, PREFERENCE

        (axes,) = canvas.axes
        for place, row in enumerate(drawn):
            qrel, run = row.qrel_preferred.count, row.comparison_preferred.count
            axes.text(0.01, place, f"{qrel:,}", color=OFFICIAL, va="center")
            axes.text(0.99, place, f"{run:,}", color=PREFERENCE, va="center", ha="right")
        axes.set_yticks(range(len(drawn)), [f"category {row.category}" for row in drawn])
        axes.set_xlim(0, 1)

    return rows_figure("preferred", table.title, caption, [chart], table, mark)
