"""Move challenges on: ask what they need next, and finish them when nothing is lacking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from django.db import OperationalError, connection, transaction

from config import clock
from judging.models import Campaign
from tournament.contests import Need
from tournament.models import Challenge, Resolution
from tournament.outcomes import Status
from tournament.services import neighbours
from tournament.services.facts import load_facts

ATTEMPTS = 5


@dataclass(frozen=True)
class Advance:
    """What moving a campaign's challenges on came to, in judgments; ``finished``: numbers of challenges."""

    asked: int = 0
    under_way: int = 0
    waiting: int = 0
    finished: tuple[int, ...] = ()


def advance_challenges(*, campaign: Campaign | None = None) -> dict[int, Advance]:
    """Look at every challenge (of one campaign); campaign key → what was done. Safe to run twice."""
    campaigns = Campaign.objects.filter(pk__in=Challenge.objects.values("campaign")).order_by("pk")
    if campaign is not None:
        campaigns = campaigns.filter(pk=campaign.pk)
    else:
        campaigns = campaigns.exclude(state__in=Campaign.OVER)
    return {one.pk: advance_campaign(campaign=one) for one in campaigns}


def advance_campaign(*, campaign: Campaign) -> Advance:
    """Ask what the campaign's challenges need now, and finish those that lack nothing.

    A challenge that was done is looked at too: an exclusion may have taken judgments away that it rests on.
    """
    for attempt in range(ATTEMPTS):
        try:
            with _one_moment():
                return _advance(campaign)
        except OperationalError:
            # PostgreSQL: somebody wrote what was read here. In a larger transaction that is for the caller.
            if connection.in_atomic_block or attempt == ATTEMPTS - 1:
                raise
    raise AssertionError("the last attempt returns or raises")


@contextmanager
def _one_moment() -> Iterator[None]:
    """A transaction that sees counted judgments and open tasks at one moment.

    Between two reads a task could be collected, or an exclusion hand one back, and its judgments would seem
    neither counted nor under way, and be asked twice. SQLite's transactions are like that anyway.
    """
    outermost = not connection.in_atomic_block
    with transaction.atomic():
        if outermost and connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield


def _advance(campaign: Campaign) -> Advance:
    # Whoever writes this row first looks and asks; another waits here for its commit, and then starts again
    # (PostgreSQL) or goes on (SQLite), either way seeing what was asked.
    if not Challenge.objects.filter(campaign=campaign, number=1).update(advanced_at=clock.now()):
        return Advance()
    facts = load_facts(campaign, with_asking=True)
    last = Resolution.objects.filter(campaign=campaign).first() or Resolution()
    derivation = facts.derive(facts.parameters(last.ties, last.count))
    flying = neighbours.under_way(campaign, derivation.needs) if derivation.needs else {}
    wanted = still_wanted(derivation.needs, flying)
    now = worth_asking(wanted, campaign.pairs_per_task, under_way=sum(flying.values()) > 0)
    _ask(campaign, now)
    finished = tuple(
        challenge.number
        for challenge in facts.challenges
        if challenge.state == Challenge.State.ASKING
        and all(
            derivation.outcomes[row.query_id].status is not Status.OPEN for row in challenge.queries.all()
        )
    )
    Challenge.objects.filter(campaign=campaign, number__in=finished, state=Challenge.State.ASKING).update(
        state=Challenge.State.DONE, done_at=clock.now()
    )
    asked = sum(need.judgments for need in now)
    waiting = sum(need.judgments for need in wanted) - asked
    return Advance(asked, sum(flying.values()), waiting, finished)


def still_wanted(needs: Sequence[Need], flying: Mapping[neighbours.PairOfQuery, int]) -> list[Need]:
    """What is needed beyond what is under way."""
    wanted = [
        replace(need, judgments=need.judgments - flying.get((need.query, need.a, need.b), 0))
        for need in needs
    ]
    return [need for need in wanted if need.judgments > 0]


def worth_asking(wanted: Sequence[Need], pairs_per_task: int, *, under_way: bool) -> list[Need]:
    """What to ask now: everything when nothing is under way, else only what fills whole tasks.

    A task is paid whole however few pairs are in it, so pairs that come free one by one wait for company.
    """
    if not under_way:
        return list(wanted)
    return list(wanted[: len(wanted) // pairs_per_task * pairs_per_task])


def _ask(campaign: Campaign, needs: Sequence[Need]) -> None:
    """Ask in passes of one judgment a pair, so that pairs wanting one and pairs wanting two share tasks."""
    if not needs:
        return
    for turn in range(max(need.judgments for need in needs)):
        neighbours.ask(campaign, [need for need in needs if need.judgments > turn])
    neighbours.offer(campaign)
