"""The do-no-harm order of runs, as a table."""

from collections.abc import Sequence

import numpy as np

from leaderboard.analyses.compare.comparison import first_ranks
from leaderboard.analyses.compare.comparison_question import question_asked
from leaderboard.analyses.compare.outcome_cases import mean_reciprocal
from leaderboard.analyses.harmless_order.computation import HarmlessOrder, harmless_order
from leaderboard.analyses.kinds import Asked
from leaderboard.errors import NothingToScore
from leaderboard.output import Analysis, Column, Facts, Kind, Row, Table
from leaderboard.output.table import best_marked
from leaderboard.scoring.agreement import competition_ranks
from leaderboard.scoring.evaluation import Progress
from leaderboard.scoring.score_facts import scoring_facts
from pooling.models import Run

CAPTION = (
    "A run beats another if it answers significantly more queries and is not significantly later where both answer, "
    "or is significantly earlier there and does not answer significantly fewer. No run beats a run "
    "in an earlier place. Runs that share a place cannot be ordered: neither beats the other, or they are in a cycle."
)


def analyse_harmless_order(asked: Asked, progress: Progress | None) -> Analysis:
    """Order the runs by the queries for which the labels have a relevant passage.

    Raises NothingToScore if there are fewer than two runs or no such queries.
    """
    collection, runs = asked.collection, asked.runs
    if len(runs) < 2:
        raise NothingToScore("An order needs two or more runs.", "Choose more runs.")
    question = question_asked(asked)
    scored = first_ranks(collection, runs, question, progress)
    found = harmless_order(scored.ranks, alpha=question.alpha)
    facts = scoring_facts(
        collection,
        runs,
        [question.labels],
        scored.name,
        int(scored.ranks.shape[1]),
        further=(("α", f"{question.alpha:g}"), ("m", f"{found.tests:,}")),
    )
    means = [mean_reciprocal(ranks) for ranks in scored.ranks]
    return Analysis(
        facts=facts,
        tables=(_harmless_order_table(runs, means, scored.ranks, found, facts),),
        sentences=(_order_sentence(runs, found),),
        content={"places": {run.run_tag: int(place) for run, place in zip(runs, found.place, strict=True)}},
    )


def _harmless_order_table(
    runs: Sequence[Run], means: Sequence[float], ranks: np.ndarray, found: HarmlessOrder, facts: Facts
) -> Table:
    by_mean = competition_ranks(means).tolist()
    order = sorted(range(len(runs)), key=lambda run: (found.place[run], -means[run], runs[run].run_tag))
    rows = tuple(
        Row.of(
            place=int(found.place[run]),
            run=runs[run].run_tag,
            team=runs[run].team or None,
            mean=means[run],
            by_mean=by_mean[run],
            answered=float((ranks[run] > 0).mean()),
            beats=int(found.beats[run].sum()),
            beaten=int(found.beats[:, run].sum()),
        )
        for run in order
    )
    columns = (
        Column("place", "place", Kind.COUNT),
        Column("run", "run"),
        Column("team", "team"),
        Column("mean", f"M{facts.measure}", Kind.MEASURE),
        Column("by_mean", "rank by the mean", Kind.COUNT),
        Column("answered", "answered", Kind.SHARE),
        Column("beats", "beats", Kind.COUNT, "runs"),
        Column("beaten", "beaten by", Kind.COUNT, "runs"),
    )
    note = f"Paired t-test on search lengths, exact sign test: claims at α/{found.tests:,}, harms at α."
    return Table(
        "order",
        "Do-no-harm order",
        CAPTION,
        columns,
        best_marked(rows, "mean", higher=True),
        facts,
        notes=(note,),
    )


def _order_sentence(runs: Sequence[Run], found: HarmlessOrder) -> str:
    first = [run.run_tag for run, place in zip(runs, found.place, strict=True) if place == 1]
    ordered = int(found.beats.sum())
    some = f"{ordered:,} of {found.comparisons:,} pairs of runs can be ordered."
    if len(first) == 1:
        return f"{first[0]} is the only run that no other run beats. {some}"
    return (
        f"{len(first):,} of {len(runs):,} runs share the first place: no run below beats any of them. {some}"
    )
