"""Campaigns: create one, and move it from state to state."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.db import IntegrityError, transaction

from config.guidance import Action, Guidance, Option
from judging.campaign.pairs import pairs_of, request_pairs
from judging.campaign.postings import next_posting
from judging.campaign.reading_time import seconds_a_pair
from judging.campaign.reservations import settle_reservations
from judging.campaign.worker_texts import check_page_language, check_short_texts, default_texts
from judging.errors import BadInput, CampaignRefused
from judging.models import Campaign, CampaignChange, GradedCampaign
from judging.rules.familiarity import most_tasks
from judging.rules.packing import PairRequest
from judging.rules.pay import BASE_REWARD, rounded
from judging.rules.reading_speed import least_limit
from judging.rules.screening import SLIP_RATE
from pooling.collections.name_rules import check_name
from pooling.models import Collection, Pool

#: The reference experiment's qualifications: in the US, more than 10,000 approved tasks, at least 97% approved.
REFERENCE_QUALIFICATIONS: list[dict[str, Any]] = [
    {
        "QualificationTypeId": "00000000000000000071",
        "Comparator": "EqualTo",
        "LocaleValues": [{"Country": "US"}],
        "ActionsGuarded": "DiscoverPreviewAndAccept",
    },
    {
        "QualificationTypeId": "00000000000000000040",
        "Comparator": "GreaterThan",
        "IntegerValues": [10_000],
        "ActionsGuarded": "DiscoverPreviewAndAccept",
    },
    {
        "QualificationTypeId": "000000000000000000L0",
        "Comparator": "GreaterThanOrEqualTo",
        "IntegerValues": [97],
        "ActionsGuarded": "DiscoverPreviewAndAccept",
    },
]
PRESETS: dict[str, list[dict[str, Any]]] = {"": [], "reference": REFERENCE_QUALIFICATIONS}


#: Whole-number settings with their minimum and maximum.
WHOLE_NUMBERS = {
    "pairs_per_task": (1, 1000),
    "gold_per_task": (0, 100),
    "repeats_per_task": (0, 10),
    "judgments_per_pair": (1, 100),
    "max_tasks_per_worker": (1, 100_000),
    "withdrawal_days": (0, 3650),
    "answer_days": (1, 30),
    "hold_hours": (0, 60),
    "minimum_seconds": (0, 120),
    "minimum_age": (0, 99),
    "assignment_seconds": (300, 30 * 86400),
    "seed": (-(2**62), 2**62),
}
#: Settings that are adjusted to the campaign's tasks unless somebody chose a value.
FITTED = frozenset({"assignment_seconds", "max_tasks_per_worker"})
MOST_REWARD = Decimal(10_000)
MOST_BUDGET = Decimal(10**9)
MOST_CONTACT = 200


#: The title and keywords that a crowd lists for tasks in which workers grade single passages.
GRADED_WORDS = {
    "title": "How well does the passage answer the question?",
    "keywords": "grade, reading, search, relevance, judgment",
}


def _amount_problem(what: str, amount: Decimal, most: Decimal) -> str:
    if amount.is_finite() and 0 <= amount <= most and amount == rounded(amount):
        return ""
    return f"{what} must be an amount between $0.00 and ${most:,.2f} with at most two decimals."


@dataclass(frozen=True)
class CampaignSettings:
    """A campaign's settings; the defaults are those of the reference experiment."""

    pairs_per_task: int = 10
    gold_per_task: int = 3
    repeats_per_task: int = 0
    judgments_per_pair: int = 1
    reward: Decimal = field(default=Decimal("2.00"))
    pay: str = Campaign.Pay.SPLIT
    base_reward: Decimal | None = None
    screen: str = Campaign.Screen.REFERENCE
    max_tasks_per_worker: int = 20
    seed: int = 1
    preset: str = ""
    placeholder_text: bool = False
    allow_undecided: bool = False
    refuse_excluded_elsewhere: bool = True
    budget: Decimal | None = None
    slip_rate: float = SLIP_RATE
    answer_days: int = 3
    contact: str = ""
    withdrawal_days: int = 30
    hold_hours: int = 0
    assignment_seconds: int = 3600
    minimum_seconds: int = 0
    mark_query_words: bool = False
    minimum_age: int = 0
    content_warning: str = ""
    ethics_approval: str = ""
    language: str = "en"

    def values(self) -> dict[str, Any]:
        """Return the settings as fields of a campaign.

        The base reward defaults to BASE_REWARD, or to the reward if that is lower.
        """
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return fields | {
            "base_reward": min(BASE_REWARD, self.reward) if self.base_reward is None else self.base_reward
        }

    @property
    def slots_per_task(self) -> int:
        """The number of pairs in a full task, including gold and repeated pairs."""
        return self.pairs_per_task + self.gold_per_task + self.repeats_per_task

    def check(self) -> None:
        """Raise :class:`CampaignRefused` for the first invalid setting."""
        for refusal in self.problems().values():
            raise refusal

    def problems(self) -> dict[str, CampaignRefused]:
        """Map the name of each invalid setting to the error to raise for it; empty if all are valid."""
        found: dict[str, CampaignRefused] = {
            name: BadInput(
                Guidance(Option(name.replace("_", "-")), f" must be between {least:,} and {most:,}.")
            )
            for name, (least, most) in WHOLE_NUMBERS.items()
            if not least <= getattr(self, name) <= most
        }
        if "assignment_seconds" in found:  # without a unit: the command takes minutes, the API seconds
            found["assignment_seconds"] = BadInput(
                Guidance(
                    "The time for a task (",
                    Option("task-minutes"),
                    ") must be between 5 minutes and 30 days.",
                )
            )
        found |= self._money_problems()
        if not 0 <= self.slip_rate <= 0.5:
            found["slip_rate"] = BadInput(
                Guidance(Option("slip-rate"), " must be a share between 0 and 0.5.")
            )
        if self.screen not in Campaign.Screen.values:
            found["screen"] = BadInput(
                f"Unknown screening rule: {self.screen!r}.",
                f"Choose from: {', '.join(Campaign.Screen.values)}.",
            )
        if self.preset not in PRESETS:
            found["preset"] = BadInput(
                f"Unknown preset: {self.preset!r}.", f"Choose from: {', '.join(filter(None, PRESETS))}."
            )
        if len(self.contact) > MOST_CONTACT:
            found["contact"] = BadInput(f"The contact can have at most {MOST_CONTACT} characters.")
        checks: dict[str, Callable[[], None]] = {
            "language": lambda: check_page_language(self.language),
            "content_warning": lambda: check_short_texts(content_warning=self.content_warning),
            "ethics_approval": lambda: check_short_texts(ethics_approval=self.ethics_approval),
        }
        for name, check in checks.items():
            try:
                check()
            except CampaignRefused as refusal:
                found[name] = refusal
        return found

    def _money_problems(self) -> dict[str, CampaignRefused]:
        found: dict[str, CampaignRefused] = {}
        if problem := _amount_problem("The reward", self.reward, MOST_REWARD):
            found["reward"] = BadInput(problem)
        if self.pay not in Campaign.Pay.values:
            found["pay"] = BadInput(f"Unknown payment mode: {self.pay!r}.", "Choose split or whole.")
        if self.base_reward is not None and (
            problem := _amount_problem("The base reward (part of the reward)", self.base_reward, self.reward)
        ):
            found["base_reward"] = BadInput(problem)
        if self.budget is not None and (problem := _amount_problem("The budget", self.budget, MOST_BUDGET)):
            found["budget"] = BadInput(problem)
        elif self.budget is not None and not self.budget:
            found["budget"] = BadInput("The budget must be more than $0.00.", "Omit it for no budget.")
        return found


def create_campaign(
    *,
    name: str,
    settings: CampaignSettings,
    pool: Pool | None = None,
    collection: Collection | None = None,
    grading: GradedCampaign | None = None,
    who: str = "",
) -> Campaign:
    """Create a draft campaign with all pairs of ``pool``, or one for judgments imported into ``collection``.

    With ``grading``, workers grade single passages for this graded campaign, whose pool is ``pool``. Then the draft
    has no tasks yet; the caller requests the judgments.
    """
    check_name(name)
    settings.check()
    if grading is not None:
        check_graded(settings)
    if (pool is None) == (collection is None):
        raise BadInput("Specify either a pool or a collection to import judgments into.")
    owner = pool.collection if pool else collection
    assert owner is not None
    try:
        with transaction.atomic():
            campaign = Campaign.objects.create(
                name=name,
                pool=pool,
                collection=owner,
                qualifications=PRESETS[settings.preset],
                **(GRADED_WORDS if grading else {}),
                grading=grading,
                grades=len(grading.scale) if grading else 0,
                **settings.values(),
                **default_texts(settings.language, graded=grading is not None),
            )
            if pool and not grading:
                pairs = pairs_of(pool)
                _check_pairs(pool, pairs)
                request_pairs(campaign, pairs, judgments=settings.judgments_per_pair, round=0)
                fit_to_tasks(campaign, settings)
            log_change(campaign, "created", who=who)
    except IntegrityError:
        raise CampaignRefused(f"A campaign called {name!r} already exists.", "Choose another name.") from None
    return campaign


def check_graded(settings: CampaignSettings) -> None:
    """Raise BadInput for a setting that only makes sense where two passages are compared."""
    for name in ("repeats_per_task", "allow_undecided"):
        if getattr(settings, name):
            raise BadInput(
                Guidance(Option(name.replace("_", "-")), " is for comparing passages, not for grading them.")
            )


def fit_to_tasks(campaign: Campaign, settings: CampaignSettings) -> None:
    """Adjust the settings in :data:`FITTED` to the campaign's tasks, except those that somebody set."""
    if settings.assignment_seconds == CampaignSettings.assignment_seconds:
        _give_enough_time(campaign)
    if settings.max_tasks_per_worker == CampaignSettings.max_tasks_per_worker:
        limit_workers(campaign)


def _give_enough_time(campaign: Campaign) -> None:
    """Raise the default time limit to the time that a task of this length needs."""
    expected = campaign.slots_per_task * seconds_a_pair(campaign)
    most = WHOLE_NUMBERS["assignment_seconds"][1]
    if (needed := min(least_limit(expected), most)) > campaign.assignment_seconds:
        campaign.assignment_seconds = needed
        campaign.save(update_fields=["assignment_seconds"])


def limit_workers(campaign: Campaign) -> None:
    """Set the maximum number of tasks per worker to its default, :func:`usual_limit`."""
    campaign.max_tasks_per_worker = usual_limit(campaign)
    campaign.save(update_fields=["max_tasks_per_worker"])


def usual_limit(campaign: Campaign) -> int:
    """Return the default maximum number of tasks per worker.

    It is lower in a small campaign with gold pairs, so that a worker's earlier tasks do not reveal them.
    """
    usual = CampaignSettings.max_tasks_per_worker
    if not campaign.gold_per_task:
        return usual
    return min(usual, most_tasks(campaign.pairs.count(), campaign.pairs_per_task))


def _check_pairs(pool: Pool, pairs: Sequence[PairRequest]) -> None:
    """Raise CampaignRefused if the pool has no pair to judge, before anybody prepares gold pairs and texts."""
    if pairs:
        return
    queries = pool.pooled_passages.values("query").distinct().count()
    one = f"has only one passage for each query ({queries:,} in all), not counting near-duplicates"
    has = one if queries else "is empty: it has no queries"
    raise CampaignRefused(
        f"The pool {pool.name} {has}, so there is no pair to judge.",
        Guidance(
            "Build a pool with more runs, a greater depth or the known relevant passages: ",
            Action("build_pool", pool.collection.name, "--pool NAME --all-runs --depth 2", lead=""),
        ),
    )


def campaign_named(name: str) -> Campaign:
    """Return the campaign with this name. Raises BadInput, with a list of campaigns, for an unknown name."""
    campaign = (
        Campaign.objects.select_related("collection", "pool", "pool__qrel_set").filter(name=name).first()
    )
    if campaign is None:
        names = ", ".join(Campaign.objects.order_by("name").values_list("name", flat=True)[:20])
        raise BadInput(
            f"There is no campaign called {name!r}.",
            f"Campaigns: {names}." if names else "No campaigns exist yet.",
        )
    return campaign


def log_change(campaign: Campaign, what: str, *, why: str = "", who: str = "") -> None:
    """Add an entry to the campaign's log."""
    CampaignChange.objects.create(campaign=campaign, what=what, why=why, who=who)


def restore_first(campaign: Campaign) -> Guidance:
    """Return the advice to restore an archived campaign first."""
    return Guidance("Restore it first: ", Action("archive_campaign", campaign.name, "--restore", lead=""))


def move(
    campaign: Campaign, to: str, *, allowed: Sequence[str], why: str = "", who: str = "", **changes: Any
) -> None:
    """Change the campaign's state and the fields in ``changes``, and log the new state.

    Raises CampaignRefused if the current state is not one of ``allowed``, so that a concurrent second call has no
    effect. Also raises it if an archived campaign would move to a state outside :data:`Campaign.AT_REST`.
    """
    movable = Campaign.objects.filter(pk=campaign.pk, state__in=allowed)
    if to not in Campaign.AT_REST:
        movable = movable.filter(archived_at=None)
    with transaction.atomic():
        moved = movable.update(state=to, **changes)
        if moved:
            log_change(campaign, to, why=why, who=who)
    campaign.refresh_from_db()
    if not moved and campaign.archived_at and campaign.state in allowed:
        raise CampaignRefused(f"Campaign {campaign.name} is archived.", restore_first(campaign))
    if not moved:
        raise CampaignRefused(f"Campaign {campaign.name} is {campaign.state}, so it cannot become {to}.")


def pause(campaign: Campaign, *, why: str = "", who: str = "") -> None:
    """Pause the campaign or, if its pilot is running, end the pilot. Workers who hold a task can finish it.

    Closing the places at the crowd is left to a job.
    """
    if campaign.state == Campaign.State.PILOTING:
        with transaction.atomic():
            settle_reservations(campaign)
            move(campaign, Campaign.State.PILOTED, allowed=[Campaign.State.PILOTING], why=why, who=who)
    else:
        move(campaign, Campaign.State.PAUSED, allowed=[Campaign.State.OPEN], why=why, who=who)


def resume(campaign: Campaign, *, why: str = "", who: str = "") -> None:
    """Reopen a paused campaign, with a new posting."""
    with transaction.atomic():
        move(campaign, Campaign.State.OPEN, allowed=[Campaign.State.PAUSED], why=why, who=who)
        next_posting(campaign)
