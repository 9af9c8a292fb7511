from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count

from config.errors import Refusal
from judging.campaign.campaigns import CampaignSettings
from judging.launch.forecast import Forecast, Pace, forecast_pairs
from judging.models import Campaign
from pooling.collections.lookups import RunsOfKind, qrel_set_named
from pooling.collections.members import may
from pooling.models import Collection, Pool, QrelSet, Query, Run
from pooling.pools.pool_plans import PoolPlan, plan_pool
from pooling.pools.pool_runs import RunCriteria, count_without_priority, meeting, runs_for_pool
from pooling.pools.pools import Choice, labeled_qids, without_text
from pooling.rules.shallow import Contribution, PoolStats
from web.common.run_choice import chosen_run_keys
from web.pools.forms import FractionForm, PoolForm
from web.pools.histogram import Bar, histogram
from web.preparation.pool_workload import pool_summary

NAMED = 20


@dataclass(frozen=True)
class RunContribution:
    """A run's contribution to a pool.

    ``named``: whether it is pooled in addition to the runs of a priority or round.
    """

    run_tag: str
    key: int
    contribution: Contribution
    team: str
    priority: int | None
    named: bool


@dataclass(frozen=True)
class PoolRequest:
    """The passages that a form or a call asks to pool."""

    runs: RunsOfKind
    qrel_set: QrelSet | None
    depth: int
    choice: Choice

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of the services that plan and build a pool."""
        return vars(self) | {"runs": self.runs.kept}


@dataclass(frozen=True)
class ListedQueries:
    """The first of ``count`` queries, for a list on a page. Each is (qid, text, pool size, number of pairs)."""

    count: int
    shown: list[tuple[str, str, int, int]] = field(default_factory=list)


@dataclass(frozen=True)
class PlanPage:
    """A planned pool; ``plan`` is None if ``form`` has errors or a service refused it."""

    collection: Collection
    form: PoolForm
    runs: list[Run]
    chosen: set[int]
    refusal: Refusal | None = None
    asked: PoolRequest | None = None
    left_out: str = ""
    without_priority: int = 0
    """The number of runs that are not pooled because they have no priority."""
    plan: PoolPlan | None = None
    forecast: Forecast | None = None
    graded: Forecast | None = None
    """The forecast for grading single passages instead of judging pairs."""
    bars: list[Bar] = field(default_factory=list)
    brought: list[RunContribution] = field(default_factory=list)
    apart: list[tuple[str, int]] = field(default_factory=list)
    """Tags and keys of runs that share no passage with the other sources."""
    empty: ListedQueries | None = None
    singletons: ListedQueries | None = None
    giants: ListedQueries | None = None

    @property
    def named(self) -> int:
        """The number of runs that are pooled only because they were ticked."""
        return sum(one.named for one in self.brought)

    @property
    def sampled(self) -> bool:
        """Whether the pool covers only part of the possible queries."""
        return bool(self.plan and self.plan.stats.queries < self.plan.everything.queries)


def plan_page(collection: Collection, given: Any) -> PlanPage:
    """Return the planning page for the values in the address: the form and, if the values are valid, the plan."""
    runs = list(collection.runs.select_related("round").order_by("run_tag"))
    qrel_sets = list(collection.passage_labels().order_by("pk").values_list("name", flat=True))
    rounds = list(collection.rounds.order_by("opens_at").values_list("name", flat=True))
    form = PoolForm(given, qrel_sets=qrel_sets, runs=runs, rounds=rounds)
    page: dict[str, Any] = {
        "collection": collection,
        "form": form,
        "runs": runs,
        "chosen": chosen_run_keys(given) & {run.pk for run in runs},
    }
    if not form.is_valid():
        return PlanPage(**page)
    found = form.cleaned_data
    settings = CampaignSettings(reward=found["reward"], judgments_per_pair=found["judgments_per_pair"])
    named = [run for run in runs if run.pk in page["chosen"]]
    try:
        asked = pool_asked_for(collection, found, runs, named, form.qids())
        plan = plan_pool(collection=collection, **asked.arguments)
        pace = Pace(found["people"], found["hours_a_day"])
        forecast = forecast_pairs(settings, plan.stats.pairs, pace)
        met = {run.pk for run in meeting(collection, asked.runs.kept, asked.choice.criteria)}
        without_priority = runs_without_priority(collection, runs, asked)
    except Refusal as refusal:
        return PlanPage(**page, refusal=refusal)
    texts = _texts_of_listed(collection, plan, asked.choice)
    return PlanPage(
        **page,
        asked=asked,
        left_out=asked.runs.sentence,
        without_priority=without_priority,
        plan=plan,
        forecast=forecast,
        graded=forecast_pairs(settings, plan.stats.passages, pace),
        bars=histogram(plan.everything.histogram, plan.stats.histogram),
        brought=[
            RunContribution(run.run_tag, run.pk, one, run.team, run.priority, run.pk not in met)
            for run, one in plan.runs
        ],
        apart=[(run.run_tag, run.pk) for run in plan.apart],
        empty=_first_queries(plan, _asked_in_vain(plan, asked.choice), texts),
        singletons=_first_queries(plan, plan.outliers.singletons.tolist(), texts),
        giants=_first_queries(plan, plan.outliers.giant.tolist(), texts),
    )


def pool_asked_for(
    collection: Collection,
    given: Mapping[str, Any],
    everything: Iterable[Run],
    named: Sequence[Run],
    qids: Sequence[str] | None,
) -> PoolRequest:
    """Return the pool that the valid values of a form or a call request.

    Raises NotFound, PoolRefused.
    """
    qrel_set = qrel_set_named(collection, given["qrels"]) if given["qrels"] else None
    criteria = RunCriteria(given.get("priority"), given.get("round", ""))
    fraction = given.get("fraction")
    choice = Choice(
        labeled_qids(qrel_set, qids) if qrel_set and given["labeled_only"] else qids,
        given["sample"],
        given["seed"] if given["sample"] is not None else None,
        given["min_size"],
        fraction,
        given["fraction_seed"] if fraction is not None else None,
        criteria.priority,
        criteria.round,
    )
    runs = runs_for_pool(collection, everything, named, qrel_set, criteria)
    return PoolRequest(runs, qrel_set, given["depth"], choice)


def runs_without_priority(collection: Collection, runs: Iterable[Run], asked: PoolRequest) -> int:
    """Return how many of the runs are not pooled because they have no priority."""
    return count_without_priority(collection, runs, asked.runs.kept, asked.choice.criteria)


def fraction_asked_for(pool: Pool, form: FractionForm) -> PoolRequest:
    """Return the request for a pool of the same runs, labels, queries and depth, from a fraction of the corpus."""
    queries = Query.objects.filter(pk__in=pool.pooled_passages.values("query")).order_by("position")
    choice = Choice(
        list(queries.values_list("qid", flat=True)),
        fraction=form.cleaned_data["fraction"],
        fraction_seed=form.cleaned_data["fraction_seed"],
        priority=pool.priority,
        round=pool.round,
    )
    runs = Run.objects.filter(pk__in=pool.pool_runs.values("run")).order_by("run_tag")
    return PoolRequest(RunsOfKind(list(runs), [], documents=False), pool.qrel_set, pool.depth, choice)


def _asked_in_vain(plan: PoolPlan, choice: Choice) -> list[int]:
    """Return the positions in the plan of requested queries whose pool would be empty."""
    wanted = None if choice.qids is None else set(choice.qids)
    return [place for place in plan.outliers.empty.tolist() if wanted is None or plan.qids[place] in wanted]


def _texts_of_listed(collection: Collection, plan: PoolPlan, choice: Choice) -> dict[str, str]:
    groups = [
        _asked_in_vain(plan, choice), plan.outliers.singletons.tolist(), plan.outliers.giant.tolist(),
    ]  # fmt: skip
    places = [place for group in groups for place in group[:NAMED]]
    rows = Query.objects.filter(collection=collection, qid__in=[plan.qids[place] for place in places])
    return dict(rows.values_list("qid", "text"))


def _first_queries(plan: PoolPlan, places: list[int], texts: Mapping[str, str]) -> ListedQueries:
    shown = []
    for place in places[:NAMED]:
        qid, size = plan.qids[place], int(plan.sizes[place])
        shown.append((qid, texts.get(qid, ""), size, size * (size - 1) // 2))
    return ListedQueries(len(places), shown)


@dataclass(frozen=True)
class PoolPage:
    pool: Pool
    stats: PoolStats
    forecast: Forecast
    graded: Forecast
    bars: list[Bar]
    brought: list[RunContribution]
    apart: list[tuple[str, int]]
    pooled: int
    canonical_added: int
    qrel: Contribution
    without_text: int
    campaigns: list[Campaign]

    @property
    def criteria(self) -> RunCriteria:
        """The criteria by which the pool's runs were chosen."""
        return RunCriteria(self.pool.priority, self.pool.round)

    @property
    def named(self) -> int:
        """The number of runs that were pooled only because they were named."""
        return sum(one.named for one in self.brought)


def pool_page(pool: Pool) -> PoolPage:
    """Return a pool's contents, and the judging cost with the reference experiment's settings."""
    summary = pool_summary(pool)
    pooled = {one.run.run_tag: one for one in pool.pool_runs.select_related("run").order_by("run__run_tag")}
    campaigns = Campaign.objects.filter(pool=pool, rehearsal_of=None).order_by("-pk")
    return PoolPage(
        pool=pool,
        stats=summary.stats,
        forecast=forecast_pairs(CampaignSettings(), summary.stats.pairs, Pace()),
        graded=forecast_pairs(CampaignSettings(), summary.stats.passages, Pace()),
        bars=histogram(summary.stats.histogram, {}),
        brought=[
            RunContribution(tag, one.run_id, summary.runs[tag], one.run.team, one.priority, one.named)
            for tag, one in pooled.items()
            if tag in summary.runs
        ],
        apart=[(tag, pooled[tag].run_id) for tag in summary.apart if tag in pooled],
        pooled=summary.pooled,
        canonical_added=summary.canonical_added,
        qrel=summary.qrel,
        without_text=without_text(pool),
        campaigns=list(campaigns),
    )


def pools_page(collection: Collection, user: Any) -> dict[str, Any]:
    """Return the data of the page that lists a collection's pools."""
    pools = Pool.objects.filter(collection=collection).select_related("qrel_set").order_by("name")
    return {
        "collection": collection,
        "pools": pools.annotate(
            queries=Count("pooled_passages__query", distinct=True), passages=Count("pooled_passages")
        ),
        "may_plan": may(user, "prepare campaign", collection),
    }
