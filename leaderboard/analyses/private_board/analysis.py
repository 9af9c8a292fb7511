"""The private board: runs on public and private queries, and how each team's gains on the two diverge."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.private_board.computation import Step, divergence
from leaderboard.analyses.private_board.figure import Submission, private_figure
from leaderboard.analyses.shared.combinations import (
    Combination,
    combinations,
    facts_of_combinations,
    labels_or_usual,
)
from leaderboard.analyses.stability.computation import ranks_by_column
from leaderboard.errors import NothingPrivate
from leaderboard.output import Analysis, Column, Facts, Interval, Kind, Row, Table
from leaderboard.output.numbers import number_text
from leaderboard.output.table import best_marked
from leaderboard.scoring.evaluation import Progress
from leaderboard.scoring.measure_names import parse_measure
from pooling.models import Run

BOARD = (
    Column("run", "run"),
    Column("team", "team"),
    Column("date", "submitted"),
    Column("private", "value", Kind.MEASURE, "private queries"),
    Column("private_rank", "rank", Kind.COUNT, "private queries"),
    Column("public", "value", Kind.MEASURE, "public queries"),
    Column("public_rank", "rank", Kind.COUNT, "public queries"),
    Column("move", "ranks lost", Kind.COUNT),
)
STEPS = (
    Column("team", "team"),
    Column("run", "run"),
    Column("date", "submitted"),
    Column("submission", "submission", Kind.COUNT),
    Column("public", "public", Kind.CHANGE, "gain over the team's first run"),
    Column("private", "private", Kind.CHANGE, "gain over the team's first run"),
    Column("excess", "difference [interval]", Kind.CHANGE),
    Column("p", "p", Kind.P),
)

CAPTION = (
    "{asked} of each team's runs in order of time (undated runs last, by tag), and how much more each gained over "
    "the team's first run on public than on private queries. Welch's intervals have a joint level of {level} over a "
    "team's later runs (Bonferroni). Filled: looks like overfitting."
)


def analyse_private_board(asked: Asked, progress: Progress | None) -> Analysis:
    """Compare the public and the private board, and each team's later runs with its first. Values are not rounded.

    Raises NothingPrivate if no queries are private, or if the labels cover only one public or one private query.
    Raises NothingToScore if they cover no public or no private one.
    Raises UnknownMeasure unless exactly one measure is requested.
    """
    alpha = asked.number("alpha")
    found = combinations(
        collection=asked.collection,
        runs=asked.runs,
        labels=[labels_or_usual(asked.collection, asked.text("qrels"))],
        query_sets=["public", "private"],
        measures=parse_measure(asked.text("measure")).name,
        progress=progress,
    )
    public, private = found[:2]
    if min(one.values.shape[1] for one in (public, private)) < 2:
        raise NothingPrivate(
            f"{public.labels.name} covers {public.values.shape[1]} public and {private.values.shape[1]} private "
            "queries.",
            "Choose labels that cover at least two of each kind.",
        )
    facts = facts_of_combinations(
        asked.collection, [public, private], seed=None, further=(("alpha", f"{alpha:g}"),)
    )
    steps = [
        (run, step)
        for team in _runs_by_team(asked.runs)
        for run, step in _team_steps(team, public, private, alpha)
    ]
    submissions = _submissions(public, private, {run.pk: step for run, step in steps})
    caption = CAPTION.format(asked=public.mean_name, level=f"{1 - alpha:.0%}")
    return Analysis(
        facts=facts,
        tables=(_private_board_table(public, private, facts), _gains_table(steps, public, facts, alpha)),
        figures=(private_figure(submissions, public.mean_name, caption, facts),),
        sentences=tuple(_overfitting_warning(run, step) for run, step in steps if step.overfitting),
        content={"overfitting": [run.run_tag for run, step in steps if step.overfitting]},
    )


def _submissions(public: Combination, private: Combination, steps: dict[int, Step]) -> list[Submission]:
    """Return every run as a submission: each team's runs in order of time, then baselines and runs without a team."""
    order = [place for team in _runs_by_team(public.runs) for place in team]
    others = sorted(set(range(len(public.runs))) - set(order), key=lambda place: public.runs[place].run_tag)
    counted: Counter[str] = Counter()
    found = []
    for place in [*order, *others]:
        run, of_team = public.runs[place], place in order
        counted[run.team] += of_team
        found.append(
            Submission(
                team=run.team if of_team else "",
                run=run.run_tag,
                date=_submission_date(run),
                number=counted[run.team] if of_team else None,
                public=public.measure.mean(public.values[place]),
                private=private.measure.mean(private.values[place]),
                step=steps.get(run.pk),
            )
        )
    return found


def _runs_by_team(runs: Sequence[Run]) -> list[list[int]]:
    """Return a list per team with the indexes of its runs, in order of time.

    Baselines and runs without a team are left out.
    """
    teams: dict[str, list[int]] = {}
    for place, run in enumerate(runs):
        if run.team and not run.baseline:
            teams.setdefault(run.team, []).append(place)
    return [sorted(teams[name], key=lambda place: _submission_order(runs[place])) for name in sorted(teams)]


def _submission_order(run: Run) -> tuple[bool, str, str]:
    """Return a sort key: by date with undated runs last, then by tag. The order of upload does not matter."""
    return run.submitted_on is None, _submission_date(run), run.run_tag


def _submission_date(run: Run) -> str:
    return str(run.submitted_on or "")


def _team_steps(
    team: list[int], public: Combination, private: Combination, alpha: float
) -> list[tuple[Run, Step]]:
    if len(team) < 2:
        return []
    higher = public.measure.higher_is_better
    found = divergence(public.values, private.values, team, higher_is_better=higher, alpha=alpha)
    return [(public.runs[step.run], step) for step in found]


def _private_board_table(public: Combination, private: Combination, facts: Facts) -> Table:
    sign = 1.0 if public.measure.higher_is_better else -1.0
    means = [[one.measure.mean(values) for values in one.values] for one in (public, private)]
    ranks = ranks_by_column(sign * np.array(means).T)
    rows = [
        Row(
            {
                "run": run.run_tag,
                "team": run.team,
                "date": _submission_date(run),
                "private": means[1][place],
                "private_rank": int(ranks[place, 1]),
                "public": means[0][place],
                "public_rank": int(ranks[place, 0]),
                "move": int(ranks[place, 1] - ranks[place, 0]),
            },
            faint=run.baseline,
        )
        for place, run in enumerate(public.runs)
    ]
    rows.sort(key=lambda row: (row.values["private_rank"], row.values["run"]))
    return Table(
        "private",
        "Private board",
        f"{public.mean_name} on {private.values.shape[1]:,} private and {public.values.shape[1]:,} public queries. "
        "Equal values share the better rank.",
        BOARD,
        best_marked(best_marked(rows, "private"), "public"),
        facts,
    )


def _gains_table(steps: list[tuple[Run, Step]], public: Combination, facts: Facts, alpha: float) -> Table:
    counted: dict[str, int] = {}
    rows = []
    for run, step in steps:
        counted[run.team] = counted.get(run.team, 1) + 1
        rows.append(
            Row(
                {
                    "team": run.team,
                    "run": run.run_tag,
                    "date": _submission_date(run),
                    "submission": counted[run.team],
                    "public": step.public_gain,
                    "private": step.private_gain,
                    "excess": Interval(step.excess, step.low, step.high),
                    "p": step.p,
                },
                significant=frozenset({"p", "excess"}) if step.overfitting else frozenset(),
            )
        )
    return Table(
        "divergence",
        "Public and private gains of successive submissions",
        f"{public.asked} of a team's later runs minus that of its first, query by query. Runs are in order of time, "
        "undated runs last, by tag. p: Welch's two-sided t test that the gain is the same on public and private "
        f"queries. Interval: Welch's, of the difference of the gains, {1 - alpha:.0%} for all later runs of a team "
        "together (Bonferroni).",
        STEPS,
        tuple(rows),
        facts,
        notes=() if rows else ("No team submitted more than one run.",),
        significance=f"the public gain is above 0 and larger, p ≤ {alpha:g} over the number of the team's later runs",
    )


def _overfitting_warning(run: Run, step: Step) -> str:
    public, private = (number_text(gain, Kind.CHANGE) for gain in (step.public_gain, step.private_gain))
    return (
        f"Looks like overfitting: {run.run_tag} of {run.team} gained {public} on public queries over the team's "
        f"first run, and {private} on private ones (p = {step.p:.3g})."
    )
