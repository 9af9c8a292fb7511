"""Advance challenges: ask for the judgments they need next, and finish complete challenges."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from django.db import OperationalError, connection, transaction

from config import clock
from judging.models import Campaign
from judging.rules.packing import PairRequest
from tournament.contests import Need
from tournament.models import Challenge
from tournament.outcomes import Status
from tournament.services import other_rooms
from tournament.services.judged_facts import load_facts

ATTEMPTS = 5


@dataclass(frozen=True)
class Advance:
    """The result of advancing a campaign's challenges.

    - ``asked``: the number of judgments requested now.
    - ``under_way``: the number of judgments requested earlier that have not arrived.
    - ``waiting``: the number of judgments to be requested once they fill a task or no other judgment is pending.
    - ``finished``: the numbers of the challenges that finished now.
    """

    asked: int = 0
    under_way: int = 0
    waiting: int = 0
    finished: tuple[int, ...] = ()


def advance_challenges(*, campaign: Campaign | None = None) -> dict[int, Advance]:
    """Advance the challenges of one campaign, or of all that are not over. Maps campaign keys to results.

    Safe to run twice.
    """
    campaigns = Campaign.objects.filter(pk__in=Challenge.objects.values("campaign")).order_by("pk")
    if campaign is not None:
        campaigns = campaigns.filter(pk=campaign.pk)
    else:
        campaigns = campaigns.exclude(state__in=Campaign.OVER)
    return {one.pk: advance_campaign(campaign=one) for one in campaigns}


def advance_campaign(*, campaign: Campaign) -> Advance:
    """Ask for the judgments that the campaign's challenges need, and finish complete challenges.

    This includes finished challenges, because an exclusion can remove judgments that they rely on.
    """
    for attempt in range(ATTEMPTS):
        try:
            with _one_moment():
                return _advance_once(campaign)
        except OperationalError:
            # PostgreSQL: another process changed these rows. In a larger transaction, the caller has to retry.
            if connection.in_atomic_block or attempt == ATTEMPTS - 1:
                raise
    raise AssertionError("the last attempt returns or raises")


@contextmanager
def _one_moment() -> Iterator[None]:
    """Open a transaction with a consistent snapshot of counted judgments and open tasks.

    Otherwise a task could be collected or returned between two reads. Its judgments would seem neither counted nor
    pending, and would be requested twice. SQLite's transactions behave this way by default.
    """
    outermost = not connection.in_atomic_block
    with transaction.atomic():
        if outermost and connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield


def _advance_once(campaign: Campaign) -> Advance:
    # The first process to write this row proceeds. Others wait here for its commit, then retry (PostgreSQL) or
    # continue (SQLite). Either way they see the judgments that it asked for.
    if not Challenge.objects.filter(campaign=campaign, number=1).update(advanced_at=clock.now()):
        return Advance()
    facts = load_facts(campaign, with_asking=True)
    derivation = facts.derive_as_resolved()
    flying = other_rooms.judgments_under_way(campaign, derivation.needs) if derivation.needs else {}
    wanted = still_wanted(derivation.needs, flying)
    now = worth_asking(wanted, campaign.pairs_per_task, under_way=sum(flying.values()) > 0)
    _ask_in_passes(campaign, now)
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


def still_wanted(needs: Sequence[Need], flying: Mapping[PairRequest, int]) -> list[Need]:
    """Subtract pending judgments from the needs, and return the needs that remain above 0."""
    wanted = [
        replace(need, judgments=need.judgments - flying.get(PairRequest(need.query, need.a, need.b), 0))
        for need in needs
    ]
    return [need for need in wanted if need.judgments > 0]


def worth_asking(wanted: Sequence[Need], pairs_per_task: int, *, under_way: bool) -> list[Need]:
    """Return the needs to request now: all if no judgment is pending, else only as many as fill whole tasks.

    A task costs the same however few pairs it has, so single pairs wait until they fill a task.
    """
    if not under_way:
        return list(wanted)
    return list(wanted[: len(wanted) // pairs_per_task * pairs_per_task])


def _ask_in_passes(campaign: Campaign, needs: Sequence[Need]) -> None:
    """Request judgments in passes, one per pair in each, so that pairs that need one or two can share tasks."""
    if not needs:
        return
    for turn in range(max(need.judgments for need in needs)):
        other_rooms.ask_judgments(campaign, [need for need in needs if need.judgments > turn])
    other_rooms.want_places_of(campaign)
