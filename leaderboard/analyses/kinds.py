"""Kinds of analysis and requested analyses, the same for pages, API calls and jobs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from judging.models import Campaign
from leaderboard.analyses.fields import Choice, Field, Settings
from leaderboard.board.default_measure import default_measure
from leaderboard.errors import LeaderboardError
from leaderboard.output import Analysis
from leaderboard.scoring.evaluation import Progress
from leaderboard.scoring.measure_names import parse_measure
from pooling.models import Collection, Run


@dataclass(frozen=True)
class Asked:
    """A requested analysis, with its runs and settings.

    ``released``: computed for everyone, so without data that only members can see. ``in_order``: the order of the
    runs is meaningful.
    """

    kind: Kind
    collection: Collection
    runs: tuple[Run, ...]
    settings: Settings
    campaign: Campaign | None = None
    released: bool = False
    in_order: bool = False

    @property
    def judged(self) -> Campaign:
        """The campaign. Raises a Refusal if there is none."""
        if self.campaign is None:
            raise LeaderboardError(f"{self.collection.name} has no campaign.", "Choose another analysis.")
        return self.campaign

    def text(self, name: str) -> str:
        """Return the chosen value of a setting, or "" for the default."""
        return str(self.settings.get(name) or "")

    def number(self, name: str) -> Any:
        """Return the value of a numeric setting, or None if it is unset."""
        return self.settings[name]

    def several(self, name: str) -> list[str]:
        """Return the values of a setting that can have several; empty for the default."""
        chosen = self.settings.get(name)
        return chosen if isinstance(chosen, list) else [str(chosen)] if chosen else []


Make = Callable[[Asked, Progress | None], Analysis]


@dataclass(frozen=True)
class Kind:
    """An analysis: its name (also the command's), a one-sentence description, what it needs, and its settings.

    ``help`` and ``example`` (its arguments) are for the command. ``members_only``: it names workers, or is about
    private queries. ``of_private``: it requires private queries. ``by_query_set``: it can be limited to public
    queries. ``of_runs``: the runs can be chosen. ``at_once``: for up to this many runs, pages compute it at once, for
    everybody. ``by_description``: it uses the descriptions of runs, and can include announced runs.
    ``of_every_task``: it counts runs of passages and of documents alike. ``reads_labels``: its results depend on qrel
    sets, so it is members-only while any of them is withheld.
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
    at_once: int = 0
    by_description: bool = False
    of_every_task: bool = False
    reads_labels: bool = True
    works: str = "Computing"
    help: str = ""
    example: str = ""

    def fields_for(self, collection: Collection) -> tuple[Field, ...]:
        """Return the settings. Measures default to the leaderboard's measure, which is the first option."""
        measure = default_measure(collection)
        first = (measure, parse_measure(measure).mean_name)
        return tuple(
            replace(field, options=(first, *(one for one in field.options if one != first)))
            if isinstance(field, Choice) and field.of == "measures"
            else field
            for field in self.fields
        )
