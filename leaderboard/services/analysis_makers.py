"""How each analysis is made from what was asked, for pages and jobs alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from judging.models import Campaign
from leaderboard.errors import LeaderboardError, MembersOnly
from leaderboard.output import Analysis
from leaderboard.proportions import Interval
from leaderboard.services.better_than_perfect import analyse_better_than_perfect
from leaderboard.services.board_agreement import analyse_board_agreement
from leaderboard.services.choosing import official_set
from leaderboard.services.combinations import usual_labels
from leaderboard.services.comparing import Question, chronological, compare, progress_over_time
from leaderboard.services.comparison_output import comparison_analysis
from leaderboard.services.evaluating import Progress
from leaderboard.services.halves import split_halves
from leaderboard.services.judge_agreement import analyse_judge_agreement
from leaderboard.services.label_noise import analyse_label_noise
from leaderboard.services.labels import labels_named
from leaderboard.services.pool_bias import analyse_pool_bias
from leaderboard.services.private_boards import private_board
from leaderboard.services.progress_output import progress_analysis
from leaderboard.services.replicate_boards import analyse_replicate_boards
from leaderboard.services.stability import stability
from leaderboard.services.win_ratios import analyse_win_ratios
from leaderboard.settings_asked import Field, Settings
from leaderboard.verdicts import Deciding
from pooling.models import Collection, PoolRun, Run
from pooling.services.query_splits import private_qids
from tournament.services.publishing import version_numbered


@dataclass(frozen=True)
class Asked:
    """One analysis of these runs. ``released``: made for everybody, so of nothing that members alone may see."""

    kind: Kind
    collection: Collection
    runs: tuple[Run, ...]
    settings: Settings
    campaign: Campaign | None = None
    released: bool = False

    @property
    def judged(self) -> Campaign:
        """The campaign. Raises a refusal when there is none."""
        if self.campaign is None:
            raise LeaderboardError(f"{self.collection.name} has no campaign.", "Choose another analysis.")
        return self.campaign

    def text(self, name: str) -> str:
        """A setting that is chosen, "" for the usual one."""
        return str(self.settings.get(name) or "")


Make = Callable[[Asked, Progress | None], Analysis]


@dataclass(frozen=True)
class Kind:
    """An analysis: its name (the command's too), what it says in a sentence, what it needs and what may be set.

    ``members_only``: it names workers, or private queries are its subject. ``of_private``: without private queries
    there is none. ``by_query_set``: can be made of the public queries alone. ``of_runs``: the runs are a choice.
    """

    name: str
    title: str
    sentence: str
    needs: str
    make: Make
    fields: tuple[Field, ...]
    of_campaign: bool = False
    members_only: bool = False
    of_private: bool = False
    by_query_set: bool = False
    of_runs: bool = True
    works: str = "Computing"


def _combinations(asked: Asked) -> dict[str, Any]:
    sets = [asked.text("queries")] if asked.text("queries") else []
    if asked.released and private_qids(asked.collection):
        sets = ["public"]
    labels = [asked.text("qrels")] if asked.text("qrels") else []
    return {
        "collection": asked.collection,
        "runs": asked.runs,
        "labels": labels,
        "query_sets": sets,
        "measures": asked.text("measure"),
        "seed": asked.settings["seed"],
    }


def stability_of(asked: Asked, progress: Progress | None) -> Analysis:
    """Rank distributions."""
    trials: Any = asked.settings["trials"]
    return stability(**_combinations(asked), trials=trials, progress=progress)


def halves_of(asked: Asked, progress: Progress | None) -> Analysis:
    """Agreement of split halves."""
    splits: Any = asked.settings["splits"]
    alpha: Any = asked.settings["alpha"]
    return split_halves(**_combinations(asked), splits=splits, alpha=alpha, progress=progress)


def _question(asked: Asked) -> Question:
    name = asked.text("qrels") or usual_labels(asked.collection)[0]
    return Question(
        labels=labels_named(asked.collection, name),
        measure=asked.text("measure"),
        alpha=asked.settings["alpha"],  # type: ignore[arg-type]  # read as a number
        deciding=Deciding(asked.text("test")),
        single_answer_only=asked.text("single") == "1",
        hidden=frozenset(private_qids(asked.collection)) if asked.released else frozenset(),
    )


def comparison_of(asked: Asked, progress: Progress | None) -> Analysis:
    """Every run compared with the first, and the last with the two before it, in order of time."""
    found = compare(
        collection=asked.collection,
        runs=chronological(asked.runs),
        question=_question(asked),
        progress=progress,
    )
    return comparison_analysis(found)


def progress_of(asked: Asked, progress: Progress | None) -> Analysis:
    """The board over time."""
    question = _question(asked)
    found = progress_over_time(
        collection=asked.collection, runs=asked.runs, question=question, progress=progress
    )
    return progress_analysis(found)


def private_of(asked: Asked, progress: Progress | None) -> Analysis:
    """The private board."""
    return private_board(
        collection=asked.collection,
        runs=asked.runs,
        labels=asked.text("qrels"),
        measure=asked.text("measure"),
        progress=progress,
    )


def boards_of(asked: Asked, progress: Progress | None) -> Analysis:
    """Official and preference qrels side by side."""
    number, seed = asked.text("version"), asked.settings["seed"]
    return analyse_board_agreement(
        collection=asked.collection,
        version=version_numbered(asked.collection, int(number) if number.isdecimal() else None),
        official=official_set(asked.collection, asked.text("official") or None),
        runs=asked.runs,
        seed=seed,  # type: ignore[arg-type]  # read as a whole number
        progress=progress,
    )


def ratios_of(asked: Asked, _: Progress | None) -> Analysis:
    """Win ratios."""
    return analyse_win_ratios(
        campaign=asked.judged,
        runs=asked.runs,
        official=official_set(asked.collection, asked.text("official") or None),
        alpha=asked.settings["alpha"],  # type: ignore[arg-type]  # read as a number
    )


def bias_of(asked: Asked, progress: Progress | None) -> Analysis:
    """Pool bias."""
    by_team = asked.text("by") == "team"
    return analyse_pool_bias(campaign=asked.judged, runs=asked.runs, by_team=by_team, progress=progress)


def noise_of(asked: Asked, progress: Progress | None) -> Analysis:
    """Label noise."""
    official = asked.text("official")
    settings: Mapping[str, Any] = asked.settings
    return analyse_label_noise(
        campaign=asked.judged,
        runs=asked.runs,
        official=official_set(asked.collection, official) if official else None,
        reference=asked.text("reference") or None,
        error=settings["error"],
        seed=settings["seed"],
        trials=settings["trials"],
        progress=progress,
    )


def judges_of(asked: Asked, _: Progress | None) -> Analysis:
    """Agreement of judges."""
    seed: Any = asked.settings["seed"]
    return analyse_judge_agreement(campaign=asked.judged, seed=seed)


def replicates_of(asked: Asked, _: Progress | None) -> Analysis:
    """Replicate boards."""
    return analyse_replicate_boards(campaign=asked.judged, runs=asked.runs, ties=asked.text("ties") or None)


def perfect_of(asked: Asked, _: Progress | None) -> Analysis:
    """Better than perfect?"""
    tag, official = asked.text("reference"), asked.text("official")
    run = next((run for run in asked.runs if run.run_tag == tag), None)
    if tag and run is None:
        raise LeaderboardError(f"{asked.collection.name} has no run {tag}.", "Choose a run from the list.")
    if run is None:
        _own_run_shown(asked)
    return analyse_better_than_perfect(
        campaign=asked.judged,
        run=run,
        qrel_set=official_set(asked.collection, official) if official or asked.judged.pool is None else None,
        interval=Interval(asked.text("interval")),
    )


def _own_run_shown(asked: Asked) -> None:
    """The run that the campaign was made from must be one that may be shown."""
    own = set(PoolRun.objects.filter(pool=asked.judged.pool_id).values_list("run_id", flat=True))
    if asked.released and not own <= {run.pk for run in asked.runs}:
        raise MembersOnly("A run of this campaign is not released.", "Choose one that is.")
