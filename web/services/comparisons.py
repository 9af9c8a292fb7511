"""Comparisons of runs and the board over time, as the address asks for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from config.errors import Refusal
from leaderboard import services as leaderboard
from leaderboard.errors import LeaderboardError, NothingToScore
from leaderboard.output import Analysis
from leaderboard.services import Question
from leaderboard.services.labels import labels_named
from leaderboard.verdicts import Deciding
from pooling.models import Collection, QrelSet, Run
from tournament.models import QrelVersion
from web.services.analyses import TableView, has_charts, run_places, table_view
from web.services.visibility import hidden_queries, listed_runs

MEASURES = ("RR@10", "RR@100", "RR@1000")
RUNS_A_PAGE = 40


@dataclass(frozen=True)
class Wish:
    """What the address asks for; what makes no sense there is ignored."""

    runs: tuple[int, ...] = ()
    qrels: str = ""
    measure: str = MEASURES[0]
    deciding: Deciding = Deciding.ESL_T
    single_answer_only: bool = False

    @classmethod
    def of(cls, parameters: Any) -> Wish:
        """From an address's query string."""
        measure, test = parameters.get("measure", ""), parameters.get("test", "")
        keys = [key for key in parameters.getlist("run") if key.isascii() and key.isdigit() and len(key) < 10]
        return cls(
            runs=tuple(dict.fromkeys(map(int, keys))),
            qrels=parameters.get("qrels", ""),
            measure=measure if measure in MEASURES else MEASURES[0],
            deciding=Deciding(test) if test in {one.value for one in Deciding} else Deciding.ESL_T,
            single_answer_only=parameters.get("single") == "1",
        )


@dataclass(frozen=True)
class AnalysisPage:
    """What a page of an analysis shows: the choices, and what came of them or why nothing did."""

    collection: Collection
    wish: Wish
    labels: list[tuple[str, str]]
    runs: list[Run]
    analysis: Analysis | None = None
    tables: list[TableView] = field(default_factory=list)
    drawn: bool = False
    places: dict[str, int] = field(default_factory=dict)
    refusal: Refusal | None = None
    measures: tuple[str, ...] = MEASURES
    tests: tuple[Deciding, ...] = tuple(Deciding)


Make = Callable[[Collection, Wish, Any], Analysis]


def page_of(collection: Collection, wish: Wish, user: Any, make: Make) -> AnalysisPage:
    """The page, with the analysis that ``make`` makes or the reason why it makes none."""
    labels = labels_of(collection)
    runs = leaderboard.chronological(list(listed_runs(collection, user)))
    if not wish.qrels and labels:
        wish = Wish(wish.runs, labels[0][0], wish.measure, wish.deciding, wish.single_answer_only)
    try:
        analysis = make(collection, wish, user)
    except Refusal as refusal:
        return AnalysisPage(collection, wish, labels, runs, refusal=refusal)
    return AnalysisPage(
        collection,
        wish,
        labels,
        runs,
        analysis,
        [table_view(one) for one in analysis.tables],
        drawn=has_charts(analysis),
        places=run_places(collection, analysis.facts.runs),
    )


def comparison(collection: Collection, wish: Wish, user: Any) -> Analysis:
    """The chosen runs compared, in order of time. Raises a Refusal."""
    chosen = [run for run in listed_runs(collection, user) if run.pk in wish.runs]
    if len(chosen) < 2:
        raise NothingToScore("Choose two runs or more.", "They are compared in order of time.")
    if len(chosen) > RUNS_A_PAGE:
        raise LeaderboardError(
            f"A page compares at most {RUNS_A_PAGE} runs while you wait.",
            "Choose fewer. To compare more, in the background: manage.py compare",
        )
    found = leaderboard.compare(
        collection=collection,
        runs=leaderboard.chronological(chosen),
        question=_question(collection, wish, user),
    )
    return leaderboard.comparison_analysis(found)


def timeline(collection: Collection, wish: Wish, user: Any) -> Analysis:
    """The board over time, of every run that this person may see. Raises a Refusal."""
    runs = list(listed_runs(collection, user))
    if not runs:
        raise NothingToScore("There are no runs yet.", "Import some: manage.py import_runs")
    found = leaderboard.progress_over_time(
        collection=collection, runs=runs, question=_question(collection, wish, user)
    )
    return leaderboard.progress_analysis(found)


def _question(collection: Collection, wish: Wish, user: Any) -> Question:
    name = wish.qrels or next(iter(labels_of(collection)), ("", ""))[0]
    if not name:
        raise NothingToScore("There are no labels yet.", "Import some: manage.py import_qrels")
    return Question(
        labels=labels_named(collection, name),
        measure=wish.measure,
        deciding=wish.deciding,
        single_answer_only=wish.single_answer_only,
        hidden=hidden_queries(collection, user),
    )


def labels_of(collection: Collection) -> list[tuple[str, str]]:
    """(name, in words) of everything that runs can be scored under, the official set first."""
    sets = QrelSet.objects.filter(collection=collection).order_by("pk")
    official = sorted(sets, key=lambda one: one.kind != QrelSet.Kind.OFFICIAL)
    versions = QrelVersion.objects.filter(collection=collection).order_by("-number")
    named = [(one.name, f"{one.name}, grade {one.min_grade} and up") for one in official]
    return named + [
        (f"@{number}", f"version {number}{' (simulated)' * simulated}")
        for number, simulated in versions.values_list("number", "simulated")
    ]
