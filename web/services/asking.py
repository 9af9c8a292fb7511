"""Whether a run is better than perfect: what asking would take, thought over on a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from config.errors import Refusal
from judging.services.campaigns import CampaignSettings
from judging.services.forecasting import Forecast, Pace, forecast_pairs
from leaderboard.better_than_perfect import Category, Comparisons
from leaderboard.errors import NothingToScore
from leaderboard.services.better_than_perfect import to_ask
from pooling.models import Collection, QrelSet, Run
from pooling.services.finding import qrel_set_named, runs_tagged
from web.pool_forms import AskingForm


@dataclass(frozen=True)
class Plan:
    """What is asked: pairs, one a query, and what they take."""

    found: Comparisons
    forecast: Forecast

    @property
    def pairs(self) -> int:
        """One for each query that is asked about."""
        return len(self.found.asked)

    @property
    def on_top(self) -> int:
        """Category A: the known relevant passage is the run's first, and meets its second."""
        return sum(one.category is Category.A for one in self.found.asked)

    @property
    def elsewhere(self) -> int:
        """Category B: it stands elsewhere, and meets the run's first."""
        return self.pairs - self.on_top


@dataclass(frozen=True)
class Asked:
    """What a valid form asks for."""

    run: Run
    qrel_set: QrelSet
    settings: CampaignSettings
    sample: int | None


@dataclass(frozen=True)
class AskingPage:
    """The form, and the plan unless it has errors or a service refused."""

    collection: Collection
    form: AskingForm
    asked: Asked | None = None
    plan: Plan | None = None
    refusal: Refusal | None = None

    @property
    def name(self) -> str:
        """A name for the campaign, from the run's own letters."""
        tag = self.asked.run.run_tag if self.asked else ""
        kept = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in tag)
        return f"{kept.strip('-')[:60] or 'run'}-against-qrels"


def asking_page(collection: Collection, given: Any) -> AskingPage:
    """What the address asks for, and what would come of it."""
    tags = list(collection.runs.order_by("run_tag").values_list("run_tag", flat=True))
    sets = list(collection.qrel_sets.order_by("pk").values_list("name", flat=True))
    form = AskingForm(given, run=tags, qrels=sets)
    if not form.is_valid():
        return AskingPage(collection, form)
    try:
        asked = asked_for(collection, form.cleaned_data)
        plan = plan_of(asked)
    except Refusal as refusal:
        return AskingPage(collection, form, refusal=refusal)
    return AskingPage(collection, form, asked, plan)


def plan_of(asked: Asked) -> Plan:
    """What it would take. Raises NothingToScore when the run and the labels leave nothing to compare."""
    found = to_ask(asked.run, asked.qrel_set, sample=asked.sample, seed=asked.settings.seed)
    return Plan(found, forecast_pairs(asked.settings, len(found.asked), Pace()))


def asked_for(collection: Collection, given: dict[str, Any]) -> Asked:
    """What the fields of a valid form, or of a call, ask for. Raises NothingToScore, NotFound."""
    if not given["run"] or not given["qrels"]:
        raise NothingToScore(
            f"{collection.name} has no run to ask about, or no known relevant passages.",
            f"manage.py import_runs {collection.name}, manage.py import_qrels {collection.name}",
        )
    names = ("seed", "judgments_per_pair", "pairs_per_task", "reward")
    return Asked(
        run=runs_tagged(collection, [given["run"]])[0],
        qrel_set=qrel_set_named(collection, given["qrels"]),
        settings=CampaignSettings(**{name: given[name] for name in names}),
        sample=given["sample"],
    )
