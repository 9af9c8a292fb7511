"""Is one run better than another? Comparisons of runs in chronological order, as in Lin et al. (SIGIR 2021)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial

import numpy as np
import numpy.typing as npt

from config.guidance import Guidance, TerminalOnly
from leaderboard.analyses.compare.outcome_cases import (
    Outcomes,
    asked_pairs,
    compare_ranks,
    mean_reciprocal,
    several_answers,
)
from leaderboard.analyses.compare.verdicts import ALPHA, Deciding, Rules, Verdict, sentence_of, verdict_of
from leaderboard.analyses.progress.computation import displaced_over_time
from leaderboard.cache.inputs import runs_inputs
from leaderboard.cache.kept_analyses import kept_object
from leaderboard.errors import LeaderboardError, NothingToScore, UnknownMeasure
from leaderboard.output import Facts
from leaderboard.scoring.evaluation import Progress, evaluate, measure_for
from leaderboard.scoring.labels import Labels
from leaderboard.scoring.measure_names import parse_measure
from leaderboard.scoring.measures import Measure, ReciprocalRank
from leaderboard.scoring.score_facts import scoring_facts
from pooling.models import Collection, Run

MEASURE = "RR@10"
OLDER = "A is the older run."
UNDATED_NAMED = 10


@dataclass(frozen=True)
class ComparedPair:
    """Run A (the earlier run) and run B, with all results of their comparison."""

    a: str
    b: str
    outcomes: Outcomes
    verdict: Verdict
    sentence: str

    @property
    def favored(self) -> str | None:
        """Tag of the run that the verdict favors; None if it favors neither."""
        return {1: self.b, -1: self.a}.get(self.verdict.favors)


@dataclass(frozen=True)
class Comparison:
    """The compared pairs of a list of runs, with the facts and rules of their comparison."""

    facts: Facts
    rules: Rules
    pairs: tuple[ComparedPair, ...]
    several: int
    """Number of queries with several relevant passages. They are left out if ``single_answer_only`` is true."""
    single_answer_only: bool


@dataclass(frozen=True)
class Step:
    """A run on the board over time. ``compared`` is the comparison with the run that it displaced, if any."""

    run: str
    value: float
    baseline: bool
    state_of_the_art: bool
    """Whether the run was the best when it arrived; False for baselines and undated runs."""
    submitted: date | None
    """None for an undated run, which displaces no run, and is never displaced unless it is a baseline."""
    compared: ComparedPair | None


@dataclass(frozen=True)
class BoardOverTime:
    """All runs by date, one step each; undated baselines come first, other undated runs last.

    A step has a comparison if its run displaced a run.
    """

    facts: Facts
    rules: Rules
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Question:
    """Settings of a comparison: labels, measure, and the rules that decide claims."""

    labels: Labels
    measure: str = MEASURE
    alpha: float = ALPHA
    deciding: Deciding = Deciding.ESL_T
    single_answer_only: bool = False
    hidden: frozenset[str] = frozenset()
    """qids to leave out: private queries, for readers who see only public queries."""

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise LeaderboardError(f"α cannot be {self.alpha:g}.", "Choose a value between 0 and 1.")

    @property
    def inputs(self) -> list[object]:
        """The values that identify the question in a cache key."""
        asked = [
            self.labels.name,
            self.labels.sha256,
            self.labels.simulated,
            self.measure,
            self.alpha,
            self.deciding.value,
            self.single_answer_only,
        ]
        return [*asked, sorted(self.hidden)]


@dataclass(frozen=True)
class FirstRanks:
    """Ranks of the first relevant passage, shape (runs, queries), 0 where a run has none.

    ``several`` is the number of queries with several relevant passages, and ``name`` is the measure's name.
    """

    ranks: npt.NDArray[np.int64]
    several: int
    name: str


def compare_runs(
    *, collection: Collection, runs: Sequence[Run], question: Question, progress: Progress | None = None
) -> Comparison:
    """Compare runs given in chronological order: every run with the first, and the last with the two before it.

    Covers the queries for which the labels have a relevant passage. Raises :class:`NothingToScore` if there are fewer
    than two runs or no such queries. Results are cached by their inputs.
    """
    if len(runs) < 2:
        raise NothingToScore(
            f"{runs[0].run_tag} is the only run to compare." if runs else "There are no runs to compare.",
            Guidance("Name two or more different runs", TerminalOnly(" with --runs"), ", the oldest first."),
        )
    inputs = [collection.name, runs_inputs(runs), *question.inputs]
    return kept_object(
        "compare", inputs, Comparison, partial(_compare_in_order, collection, runs, question, progress)
    )


def progress_over_time(
    *, collection: Collection, runs: Sequence[Run], question: Question, progress: Progress | None = None
) -> BoardOverTime:
    """Return the runs by date. Each run that displaced the state of the art is compared with the displaced run."""
    ordered = sorted(runs, key=lambda run: run.run_tag)
    inputs = [
        collection.name,
        [[str(run.submitted_on) for run in ordered], runs_inputs(ordered)],
        *question.inputs,
    ]
    return kept_object(
        "progress", inputs, BoardOverTime, partial(_board_over_time, collection, ordered, question, progress)
    )


def chronological(runs: Sequence[Run]) -> list[Run]:
    """Return the runs by date of submission, undated runs last; ties are ordered by tag."""
    return sorted(runs, key=lambda run: (run.submitted_on is None, run.submitted_on or date.min, run.run_tag))


def order_in_words(runs: Sequence[Run]) -> str:
    """Explain in a sentence how :func:`chronological` orders the runs, naming undated runs."""
    dated = [run.submitted_on for run in runs if run.submitted_on]
    undated = sorted(run.run_tag for run in runs if not run.submitted_on)
    if not dated:
        return "No run has a date of submission. Runs are in order of tags, which says nothing about time."
    one_day = " Runs of one day are in order of tags." if len(set(dated)) < len(dated) else ""
    if not undated:
        return f"{OLDER}{one_day}"
    more = f" and {len(undated) - UNDATED_NAMED} more" if len(undated) > UNDATED_NAMED else ""
    named = ", ".join(undated[:UNDATED_NAMED]) + more
    apart = f"Runs without a date of submission come last, in order of tags: {named}."
    return f"A is the older run if both have a date.{one_day} {apart}"


def _compare_in_order(
    collection: Collection, runs: Sequence[Run], question: Question, progress: Progress | None
) -> Comparison:
    found = first_ranks(collection, runs, question, progress)
    asked = asked_pairs(len(runs))
    rules = Rules(len(asked), question.alpha, question.deciding)
    tags = [run.run_tag for run in runs]
    return Comparison(
        facts=_comparison_facts(collection, runs, question, found, rules),
        rules=rules,
        pairs=tuple(_compare_pair(tags[a], tags[b], found.ranks[a], found.ranks[b], rules) for a, b in asked),
        several=found.several,
        single_answer_only=question.single_answer_only,
    )


def _board_over_time(
    collection: Collection, runs: Sequence[Run], question: Question, progress: Progress | None
) -> BoardOverTime:
    found = first_ranks(collection, runs, question, progress)
    values = [mean_reciprocal(ranks) for ranks in found.ranks]
    tags = [run.run_tag for run in runs]
    order = _order_in_time(runs, values)
    displaced = displaced_over_time(
        [values[place] for place in order], [runs[place].baseline for place in order]
    )
    compared = sum(before is not None for before in displaced.values())
    rules = Rules(max(1, compared), question.alpha, question.deciding)
    steps = []
    apart = [place for place in range(len(runs)) if place not in order]
    for number, place in enumerate([*order, *apart]):
        run, pair = runs[place], None
        if (step_before := displaced.get(number)) is not None:
            before = order[step_before]
            pair = _compare_pair(tags[before], tags[place], found.ranks[before], found.ranks[place], rules)
        best = number in displaced
        steps.append(Step(run.run_tag, values[place], run.baseline, best, run.submitted_on, pair))
    return BoardOverTime(_comparison_facts(collection, runs, question, found, rules), rules, tuple(steps))


def _order_in_time(runs: Sequence[Run], values: Sequence[float]) -> list[int]:
    """Return the indexes of baselines and dated runs, in order of date. Other runs are left out.

    Among runs of the same day, the best is first. So the order of import does not matter, and at most one run per day
    becomes the new best. Undated baselines come first.
    """
    counted = [place for place, run in enumerate(runs) if run.baseline or run.submitted_on]
    return sorted(
        counted, key=lambda place: (runs[place].submitted_on or date.min, -values[place], runs[place].run_tag)
    )


def _compare_pair(
    a: str, b: str, ranks_a: npt.NDArray[np.int64], ranks_b: npt.NDArray[np.int64], rules: Rules
) -> ComparedPair:
    outcomes = compare_ranks(ranks_a, ranks_b, level=1 - rules.alpha)
    return ComparedPair(a, b, outcomes, verdict_of(outcomes, rules), sentence_of(a, b, outcomes, rules))


def _comparison_facts(
    collection: Collection, runs: Sequence[Run], question: Question, found: FirstRanks, rules: Rules
) -> Facts:
    several = "left out" if question.single_answer_only else "included"
    further = (
        ("queries with several answers", f"{found.several:,} ({several})"),
        ("α", f"{rules.alpha:g}"),
        ("m", str(rules.m)),
    )
    queries = int(found.ranks.shape[1])
    return scoring_facts(collection, runs, [question.labels], found.name, queries, further=further)


def first_ranks(
    collection: Collection, runs: Sequence[Run], question: Question, progress: Progress | None
) -> FirstRanks:
    """Return the rank of each run's first relevant passage for every query of the comparison.

    Raises NothingToScore if the question leaves no queries.
    """
    labels = question.labels
    measure = _reciprocal_rank_measure(question.measure, labels)
    relevant = labels.grades >= measure.rel
    kept_queries = np.bincount(labels.query[relevant], minlength=len(labels.qids)) > 0
    if question.hidden:
        kept_queries &= np.array([qid not in question.hidden for qid in labels.qids])
    several = several_answers(len(labels.qids), labels.query[relevant]) & kept_queries
    if question.single_answer_only:
        kept_queries &= ~several
    if not kept_queries.any():
        raise NothingToScore(
            f"{labels.name} leaves no query to compare on.",
            "Choose other labels, or include all queries.",
        )
    scored = evaluate(collection=collection, runs=runs, labels=labels, measures=[measure], progress=progress)
    values = np.stack([scored[run.pk, measure.name].values[kept_queries] for run in runs])
    ranks = np.divide(1.0, values, out=np.zeros_like(values), where=values > 0)
    name = parse_measure(question.measure).name  # without the threshold, which the facts state separately
    return FirstRanks(np.rint(ranks).astype(np.int64), int(several.sum()), name)


def _reciprocal_rank_measure(name: str, labels: Labels) -> Measure:
    measure = measure_for(name, labels)
    if isinstance(measure, ReciprocalRank):
        return measure
    cutoff = re.search(r"@\d+$", name)
    raise UnknownMeasure(
        f"Runs are compared by their first relevant passage, which {name} does not measure.",
        f"Choose RR{cutoff[0] if cutoff else '@10'}.",
    )
