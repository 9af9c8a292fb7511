"""Launch: a check list that stops at the first failure, then the first posting."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from config import clock
from judging.crowds import crowd_at
from judging.errors import CrowdError, NotReady
from judging.models import Campaign, GoldPair, Pair
from judging.services.campaigns import move
from judging.services.cost import Quote, quote_tasks
from judging.services.gold import needed_gold
from judging.services.places import want_places
from pooling.models import Passage


@dataclass(frozen=True)
class Launched:
    """What a launch did: what it costs (without repeats), places wanted, the checks that passed."""

    cost: Quote
    places: int
    checks: list[str]


def launch(
    campaign: Campaign, *, endpoint: str | None = None, confirm_spend: Decimal | None = None, who: str = ""
) -> Launched:
    """Check everything, then open the campaign and record the places that are wanted."""
    endpoint = (endpoint or settings.CROWD_ENDPOINT).rstrip("/")
    cost = quote_tasks(campaign, campaign.tasks.count())
    passed = list(checks(campaign, endpoint, cost, confirm_spend))
    with transaction.atomic():
        move(
            campaign,
            Campaign.State.OPEN,
            allowed=[Campaign.State.DRAFT],
            who=who,
            why=f"{cost.tasks} tasks, ${cost.total:.2f} without repeats",
            endpoint=endpoint,
            confirmed_spend=confirm_spend or cost.total,
            launched_at=clock.now(),
        )
        campaign.postings.create(number=1)
        places = want_places(campaign)
    return Launched(cost, places, passed)


def checks(campaign: Campaign, endpoint: str, cost: Quote, confirm_spend: Decimal | None) -> Iterator[str]:
    """Each check that passed, in words; raises :class:`NotReady` at the first that did not."""
    if campaign.state != Campaign.State.DRAFT:
        raise NotReady(
            f"The campaign {campaign.name} is {campaign.state} already.",
            f"Places that are not offered yet are offered by: collect {campaign.name}",
        )
    if not cost.tasks:
        raise NotReady("There is nothing to judge: every query of the pool has one passage at most.")
    yield f"{cost.tasks} tasks"
    yield _gold_check(campaign)
    if missing := passages_without_text(campaign):
        if not campaign.placeholder_text:
            raise NotReady(
                f"{missing:,} passages have no text.",
                "Run fetch_passages with a source that has them (import_collection --passages).",
            )
        yield f"{missing:,} passages without text are shown as placeholders, to simulated workers only"
    if campaign.texts_accepted_at is None:
        raise NotReady(
            "Nobody has accepted the texts that workers see.", f"Run: set_texts {campaign.name} --accept"
        )
    yield "texts accepted"
    yield _endpoint_check(endpoint, cost, confirm_spend)
    if campaign.budget is not None and cost.total > campaign.budget:
        raise NotReady(
            f"${cost.total:.2f} is over the campaign's budget of ${campaign.budget:.2f}.",
            f"Run: raise_budget {campaign.name} {cost.total:.2f}, or judge fewer queries.",
        )
    if settings.BUDGET_CAP and cost.total > settings.BUDGET_CAP:
        raise NotReady(
            f"${cost.total:.2f} is over the cap of ${settings.BUDGET_CAP:.2f} (PREFEREE_BUDGET_CAP)."
        )
    yield _balance_check(campaign, endpoint, cost)


def _gold_check(campaign: Campaign) -> str:
    accepted = campaign.gold_pairs.filter(state=GoldPair.State.ACCEPTED).count()
    needed = needed_gold(campaign)
    if accepted < needed:
        raise NotReady(
            f"{accepted} gold pairs are accepted and {needed} are needed: {campaign.gold_per_task} a task for "
            f"{campaign.max_tasks_per_worker} tasks a worker, none of them seen twice.",
            "Run propose_gold and accept_gold, or lower --max-tasks-per-worker.",
        )
    return f"{accepted} gold pairs accepted"


def passages_without_text(campaign: Campaign) -> int:
    """How many passages of the campaign's pairs and accepted gold pairs have no text."""
    pairs = Pair.objects.filter(campaign=campaign)
    gold = campaign.gold_pairs.filter(state=GoldPair.State.ACCEPTED)
    shown = (
        Q(pk__in=pairs.values("passage_a"))
        | Q(pk__in=pairs.values("passage_b"))
        | Q(pk__in=gold.values("relevant"))
        | Q(pk__in=gold.values("off_topic"))
    )
    return Passage.objects.filter(shown, text=None).count()


def _endpoint_check(endpoint: str, cost: Quote, confirm_spend: Decimal | None) -> str:
    if endpoint == settings.EMBEDDED_CROWD_ENDPOINT:
        return f"the built-in marketplace at {endpoint}: no outside money is spent"
    if endpoint != settings.CROWD_ENDPOINT:
        raise NotReady(
            f"{endpoint} is not the endpoint this installation is set to ({settings.CROWD_ENDPOINT}).",
            "Set PREFEREE_CROWD_ENDPOINT and its keys, so that every process calls the same crowd.",
        )
    if confirm_spend is None or confirm_spend < cost.total:
        raise NotReady(
            f"This launch costs ${cost.total:.2f} at {endpoint}, repeats not counted.",
            f"Confirm it with: --endpoint {endpoint} --confirm-spend {cost.total:.2f}",
        )
    return f"{endpoint}, spending up to ${confirm_spend:.2f} confirmed"


def _balance_check(campaign: Campaign, endpoint: str, cost: Quote) -> str:
    try:
        balance = crowd_at(campaign.crowd, endpoint).balance()
    except CrowdError as error:
        raise NotReady(f"The crowd did not state its balance. {error.message}", error.next_step) from error
    if balance < cost.total:
        raise NotReady(f"The crowd's account holds ${balance:.2f}; this launch needs ${cost.total:.2f}.")
    return f"the account holds ${balance:.2f}"
