"""Kinds of analysis, and requests for an analysis, shared by pages, API calls, commands and jobs."""

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
    """A request for an analysis, with its runs and settings.

    If ``released`` is true, the result is for everyone and uses no data that only members can see. If ``in_order`` is
    true, the order of ``runs`` was chosen and is kept.
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
        """The campaign of the request. Raises LeaderboardError if there is none."""
        if self.campaign is None:
            raise LeaderboardError(f"{self.collection.name} has no campaign.", "Choose another analysis.")
        return self.campaign

    def text(self, name: str) -> str:
        """Return the value of a setting as text, or "" if it is unset."""
        return str(self.settings.get(name) or "")

    def number(self, name: str) -> Any:
        """Return the value of a numeric setting, or None if it is unset."""
        return self.settings[name]

    def several(self, name: str) -> list[str]:
        """Return the values of a setting that can have several, or an empty list if it is unset."""
        chosen = self.settings.get(name)
        return chosen if isinstance(chosen, list) else [str(chosen)] if chosen else []


Make = Callable[[Asked, Progress | None], Analysis]


@dataclass(frozen=True)
class Kind:
    """A kind of analysis: its name (also that of its command), title, one-sentence description, needs and settings.

    ``help`` and ``example`` (arguments) describe the command, and ``works`` the work in its progress messages.

    - ``of_campaign``: it analyzes the judgments of one campaign.
    - ``members_only``: only members can see the result.
    - ``of_private``: it requires private queries.
    - ``by_query_set``: it can be limited to public queries.
    - ``of_runs``: its runs can be chosen.
    - ``without_runs``: it has results even without runs.
    - ``has_figure``: it has figures.
    - ``at_once``: for up to this many runs, pages compute it during the request, for every reader.
    - ``by_description``: it uses the descriptions of runs, and can include announced runs.
    - ``of_every_task``: it takes runs of passages and runs of documents together.
    - ``reads_labels``: its results depend on qrel sets. While any set is withheld, results for everyone must be of
      chosen labels that are not withheld.
    - ``check``: raises a Refusal if the reader cannot see what the settings name. It runs before every read.
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
    without_runs: bool = False
    has_figure: bool = True
    at_once: int = 0
    by_description: bool = False
    of_every_task: bool = False
    reads_labels: bool = True
    check: Callable[[Asked], object] | None = None
    works: str = "Computing"
    help: str = ""
    example: str = ""

    def fields_for(self, collection: Collection) -> tuple[Field, ...]:
        """Return the fields for a collection's settings. The leaderboard's measure comes first, as the default."""
        measure = default_measure(collection)
        first = (measure, parse_measure(measure).mean_name)
        return tuple(
            replace(field, options=(first, *(one for one in field.options if one != first)))
            if isinstance(field, Choice) and field.of == "measures"
            else field
            for field in self.fields
        )
