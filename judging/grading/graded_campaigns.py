"""Graded campaigns: create one from a pool, end it and reopen it."""

from collections.abc import Mapping
from dataclasses import astuple, dataclass, field

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from config import clock
from config.guidance import Action, Guidance, Option
from config.plurals import many
from judging.campaign.judging_orders import judging_begun, judging_orders, lock_topics
from judging.errors import BadInput, CampaignRefused
from judging.grading.decisions import decide_at_end
from judging.models import Campaign, GradedCampaign, GradedItem, Topic, TopicAssignment, TopicDecision
from judging.rules.grade_scale import FOUR_LEVELS, Level
from judging.rules.topic_effort import Effort, forecast_effort, small_pools_words
from judging.rules.topic_life import LABELS, check_rules, rules_with
from pooling.collections.members import log
from pooling.collections.name_rules import check_name
from pooling.errors import NotFound
from pooling.models import Collection, Pool
from pooling.passages.clusters import cluster_set_of
from pooling.pools.pools import pool_stats, without_text

MOST_BUDGET = 10**9
MOST_SEED = 2**31
BATCH = 500


@dataclass(frozen=True)
class GradingSettings:
    """A graded campaign's settings; the defaults are those of the TREC 2022 Deep Learning track."""

    scale: tuple[Level, ...] = FOUR_LEVELS
    min_grade: int = 2
    rules: Mapping[str, float] = field(default_factory=dict)
    budget: int | None = None
    learn_from_all: bool = False
    instructions: str = ""
    seed: int = 1
    placeholder_text: bool = False
    small_pools: bool = True
    """Whether to accept pools so small that the rules discard their topics early; otherwise, creation is refused."""


def create_graded_campaign(
    *, pool: Pool, name: str, settings: GradingSettings | None = None, who: str = ""
) -> GradedCampaign:
    """Create a graded campaign with a topic for each query of the pool.

    Raises BadInput for an invalid setting. Raises CampaignRefused if the name is taken, if passages have no text, or
    if queries have too few passages (:func:`refuse_small_pools`).
    """
    settings = settings or GradingSettings()
    check_name(name)
    _check_grading_settings(settings)
    refuse_without_texts(pool, settings)
    refuse_small_pools(pool, settings)
    clustered, orders = cluster_set_of(pool.collection), judging_orders(pool)
    try:
        with transaction.atomic():
            lock_topics(pool.collection)
            if (
                cluster_set_of(pool.collection) != clustered
            ):  # near-duplicates changed while the runs were read
                orders = judging_orders(pool)
            made = GradedCampaign.objects.create(
                collection=pool.collection,
                name=name,
                pool=pool,
                scale=[astuple(level) for level in settings.scale],
                min_grade=settings.min_grade,
                rules=dict(settings.rules),
                budget=settings.budget,
                learn_from_all=settings.learn_from_all,
                instructions=settings.instructions,
                seed=settings.seed,
                placeholder_text=settings.placeholder_text,
                created_by=who,
            )
            rows = (Topic(campaign=made, query_id=query, order=order) for query, order in orders.items())
            Topic.objects.bulk_create(rows, batch_size=BATCH)
            log(made.collection, f"graded campaign {name} with {many(len(orders), 'topic')} created", who=who)
    except IntegrityError:
        raise CampaignRefused(
            f"{pool.collection.name} already has a graded campaign {name!r}.", "Choose another name."
        ) from None
    return made


def _check_grading_settings(settings: GradingSettings) -> None:
    check_rules(settings.rules)
    highest = len(settings.scale) - 1
    if not 1 <= settings.min_grade <= highest:
        raise BadInput(
            f"Grade {settings.min_grade} cannot be the lowest relevant grade.",
            f"Enter a grade of the scale, from 1 to {highest}.",
        )
    if not 0 <= settings.seed <= MOST_SEED:
        raise BadInput("The seed is out of range.", f"Enter a whole number from 0 to {MOST_SEED:,}.")
    _check_budget(settings.budget)


def _check_budget(budget: int | None) -> None:
    if budget is not None and not 1 <= budget <= MOST_BUDGET:
        raise BadInput(
            "The budget must be a number of passages to judge.",
            f"Enter a whole number from 1 to {MOST_BUDGET:,}.",
        )


def refuse_without_texts(pool: Pool, settings: GradingSettings) -> None:
    """Raise CampaignRefused if assessors would be shown passages without text, unless placeholders are accepted."""
    if not settings.placeholder_text and (missing := without_text(pool)):
        raise CampaignRefused(
            f"{many(missing, 'passage')} of pool {pool.name} {'has' if missing == 1 else 'have'} no text.",
            Guidance(
                Action("fetch_passages", pool.collection.name, "--passages FILE", lead="Add them"),
                ". For a rehearsal, accept placeholders with ",
                Option("placeholder-text"),
                ".",
            ),
        )


def refuse_small_pools(pool: Pool, settings: GradingSettings) -> None:
    """Raise CampaignRefused if the rules would discard topics for their small pools, unless the settings allow it."""
    if settings.small_pools:
        return
    if words := small_pools_words(effort_over(pool, settings), rules_with(settings.rules)):
        labels = [Option("rule", rule, LABELS[rule]) for rule in ("accept_relevant", "discard_share")]
        raise CampaignRefused(
            words,
            Guidance(
                "Pool more runs or more passages of each (",
                Action("build_pool", pool.collection.name, lead=""),
                "), lower ",
                labels[0],
                ", raise ",
                labels[1],
                ", or accept such topics with ",
                Option("small-pools"),
                ".",
            ),
        )


def effort_over(pool: Pool, settings: GradingSettings) -> Effort:
    """Forecast how many passages a new graded campaign over the pool has to judge."""
    sizes = pool_stats(pool=pool).stats.histogram
    return forecast_effort(sizes, rules_with(settings.rules), settings.budget)


def graded_campaign_named(collection: Collection, name: str) -> GradedCampaign:
    """Return the collection's graded campaign with this name. Raises NotFound."""
    found = GradedCampaign.objects.filter(collection=collection, name=name).select_related("pool").first()
    if found is None:
        raise NotFound(
            f"{collection.name} has no graded campaign {name!r}.",
            Action("create_grading", collection.name, lead="Make one"),
        )
    return found


@transaction.atomic
def delete_graded_campaign(campaign: GradedCampaign, *, who: str = "") -> None:
    """Delete a graded campaign.

    Raises CampaignRefused if its judging has begun or a campaign at a crowd grades its topics.
    """
    lock_topics(campaign.collection)
    crowd = campaign.crowd_campaigns.filter(rehearsal_of=None).order_by("pk").first()
    if crowd is not None:
        raise CampaignRefused(
            f"{campaign.name} cannot be deleted: campaign {crowd.name} grades its topics.",
            "If that campaign is a draft, delete it first. Otherwise end the graded campaign instead.",
        )
    if judging_begun(campaign):
        raise CampaignRefused(f"The judging of {campaign.name} has begun.", "End it instead.")
    log(campaign.collection, f"graded campaign {campaign.name} deleted", who=who)
    campaign.delete()


def judged_so_far(campaign: GradedCampaign) -> int:
    """Return the number of judged passages, which the budget limits. Second opinions are not included."""
    items = GradedItem.objects.filter(assignment__topic__campaign=campaign, assignment__second=False)
    return items.filter(grade__isnull=False).count()


def end_if_spent(campaign: GradedCampaign) -> bool:
    """End the campaign if its budget is used up; return whether it ended now."""
    if campaign.budget is None or judged_so_far(campaign) < campaign.budget:
        return False
    return end_campaign(campaign, why=f"The budget of {many(campaign.budget, 'judged passage')} is used up.")


@transaction.atomic
def end_campaign(campaign: GradedCampaign, *, why: str, who: str = "") -> bool:
    """End the judging and decide every topic that was started; return False if it had already ended.

    A topic assigned to a crowd's draft campaign has been offered to nobody. It therefore stays undecided unless some
    of its passages are judged.
    """
    if not why.strip():
        raise BadInput("The reason is missing.", "State why the judging ends.")
    running = GradedCampaign.objects.filter(pk=campaign.pk, ended_at=None)
    if not running.update(ended_at=clock.now(), ended_why=why):
        return False
    campaign.refresh_from_db()
    judged = GradedItem.objects.filter(assignment=OuterRef("pk"), grade__isnull=False)
    offered = Q(crowd=None) | ~Q(crowd__state__in=Campaign.BEFORE_LAUNCH) | Exists(judged)
    begun = TopicAssignment.objects.filter(offered, second=False, over_at=None).values("topic")
    undecided = campaign.topics.filter(pk__in=begun).exclude(decisions__in=_decisions_in_force(campaign))
    for topic in undecided.order_by("pk"):
        decide_at_end(topic, ending=True)
    log(campaign.collection, f"graded campaign {campaign.name} ended: {why}"[:300], who=who)
    return True


@transaction.atomic
def reopen_campaign(campaign: GradedCampaign, *, why: str, budget: int | None = None, who: str = "") -> None:
    """Resume judging that has ended, and reverse the decisions that its end caused.

    ``budget`` replaces the budget (None: keep it). Raises BadInput for a missing reason or a budget that is used up,
    and CampaignRefused if the judging has not ended.
    """
    if not why.strip():
        raise BadInput("The reason is missing.", "State why the judging continues.")
    _check_budget(budget)
    budget = campaign.budget if budget is None else budget
    if budget is not None and budget <= judged_so_far(campaign):
        raise BadInput(f"The budget of {budget:,} is used up.", "Enter a higher one.")
    ended = GradedCampaign.objects.filter(pk=campaign.pk).exclude(ended_at=None)
    if not ended.update(ended_at=None, ended_why="", budget=budget):
        raise CampaignRefused(f"Graded campaign {campaign.name} has not ended.")
    campaign.refresh_from_db()
    decided = _decisions_in_force(campaign).filter(at_end=True)
    decided.update(reversed_at=clock.now(), reversed_by=who, reversed_why=why)
    log(campaign.collection, f"graded campaign {campaign.name} reopened: {why}"[:300], who=who)


def _decisions_in_force(campaign: GradedCampaign) -> QuerySet[TopicDecision]:
    return TopicDecision.objects.filter(topic__campaign=campaign, reversed_at=None)
