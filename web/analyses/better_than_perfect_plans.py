"""Plans of "better than perfect" campaigns: is a run better than the known relevant passages?"""

from dataclasses import dataclass
from typing import Any

from config.errors import Refusal
from config.guidance import Action, Guidance
from judging.campaign.campaigns import CampaignSettings
from judging.launch.forecast import Forecast, Pace, forecast_pairs
from leaderboard.analyses.better_than_perfect.analysis import comparisons_to_ask
from leaderboard.analyses.better_than_perfect.computation import Category, Comparisons
from leaderboard.errors import NothingToScore
from pooling.collections.lookups import qrel_set_named, runs_tagged
from pooling.models import Collection, QrelSet, Run
from web.pools.forms import AskingForm


@dataclass(frozen=True)
class Plan:
    """The plan of a campaign: the pairs to ask about, one per query, and the forecast of its cost."""

    found: Comparisons
    forecast: Forecast

    @property
    def pairs(self) -> int:
        """The number of pairs, one per query."""
        return len(self.found.asked)

    @property
    def on_top(self) -> int:
        """The number of queries whose known passage the run ranks first (A).

        The known passage is then compared with the run's second passage.
        """
        return sum(one.category is Category.A for one in self.found.asked)

    @property
    def elsewhere(self) -> int:
        """The number of other queries, where the known passage is compared with the run's first passage (B)."""
        return self.pairs - self.on_top


@dataclass(frozen=True)
class AskingRequest:
    """A valid request for a campaign that asks whether ``run`` beats the relevant passages of ``qrel_set``.

    ``sample`` is the number of queries to draw; None means all queries.
    """

    run: Run
    qrel_set: QrelSet
    settings: CampaignSettings
    sample: int | None


@dataclass(frozen=True)
class AskingPage:
    """The planning page: the form, and its plan. There is no plan if the form has errors or a service refused it."""

    collection: Collection
    form: AskingForm
    asked: AskingRequest | None = None
    plan: Plan | None = None
    refusal: Refusal | None = None

    @property
    def name(self) -> str:
        """The name proposed for the campaign, derived from the run's tag."""
        tag = self.asked.run.run_tag if self.asked else ""
        kept = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in tag)
        return f"{kept.strip('-')[:60] or 'run'}-against-qrels"


def asking_page(collection: Collection, given: Any) -> AskingPage:
    """Return the planning page for these form values."""
    tags = list(collection.runs.order_by("run_tag").values_list("run_tag", flat=True))
    sets = list(collection.passage_labels().order_by("pk").values_list("name", flat=True))
    form = AskingForm(given, run=tags, qrels=sets)
    if not form.is_valid():
        return AskingPage(collection, form)
    try:
        asked = campaign_asked_for(collection, form.cleaned_data)
        plan = asking_plan(asked)
    except Refusal as refusal:
        return AskingPage(collection, form, refusal=refusal)
    return AskingPage(collection, form, asked, plan)


def asking_plan(asked: AskingRequest) -> Plan:
    """Return the plan for this request. Raises NothingToScore if the run and the labels leave nothing to compare."""
    found = comparisons_to_ask(asked.run, asked.qrel_set, sample=asked.sample, seed=asked.settings.seed)
    return Plan(found, forecast_pairs(asked.settings, len(found.asked), Pace()))


def campaign_asked_for(collection: Collection, given: dict[str, Any]) -> AskingRequest:
    """Look up the run and the qrel set that a form or API call names, and return the request.

    Raises NothingToScore if the run or the qrel set is missing, and NotFound for an unknown name.
    """
    if not given["run"] or not given["qrels"]:
        raise NothingToScore(
            f"{collection.name} has no run to ask about, or no known relevant passages.",
            Guidance(
                Action("import_runs", collection.name, lead=""),
                ", ",
                Action("import_qrels", collection.name, lead=""),
            ),
        )
    names = ("seed", "judgments_per_pair", "pairs_per_task", "reward")
    return AskingRequest(
        run=runs_tagged(collection, [given["run"]])[0],
        qrel_set=qrel_set_named(collection, given["qrels"]),
        settings=CampaignSettings(**{name: given[name] for name in names}),
        sample=given["sample"],
    )
