"""The one place where this room calls services of the rooms to its left.

Pooling says what runs have on top and fetches texts; judging takes pairs and says what is under way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from django.conf import settings

from config.background.registry import Progress
from judging.models import Campaign, Task
from judging.pair_request import PairRequest
from judging.services import budget, cost, pairs, payments, places
from pooling.models import Collection, Passage, Run
from pooling.services import passages, runs
from tournament.contests import Need

PairOfQuery = tuple[int, int, int]


def top_pids(run: Run) -> dict[str, str]:
    """qid → the pid on top of the run."""
    return {qid: tops[0] for qid, tops in runs.tops_of(run, depth=1).items() if tops}


def passages_with_text(
    collection: Collection, pids: Iterable[str], progress: Progress | None = None
) -> dict[str, Passage]:
    """pid → its passage, recorded when it is new, with its text when a source has it."""
    return passages.ensure(collection=collection, pids=sorted(set(pids)), progress=progress)


def price(campaign: Campaign, tasks: int) -> Decimal:
    """Dollars for so many tasks, fee included."""
    return cost.quote_tasks(campaign, tasks).total


def taken_up(campaign: Campaign) -> Decimal:
    """Dollars, fees included, that the campaign comes to as it is: paid, owed, and every task that is not done."""
    sums = payments.money(campaign)
    undone = campaign.tasks.exclude(state=Task.State.DONE).count()
    return sums["spent"] + sums["owed"] + sums["held"] + price(campaign, undone)


def limit_of(campaign: Campaign) -> Decimal | None:
    """Dollars, fees included, that the campaign may commit; None when nothing limits it."""
    return budget.cap_of(campaign)


def takes_real_money(campaign: Campaign) -> bool:
    """Whether the campaign runs at another crowd than the marketplace that comes with the product."""
    return campaign.endpoint not in ("", settings.EMBEDDED_CROWD_ENDPOINT)


def under_way(campaign: Campaign, needs: Sequence[Need]) -> Mapping[PairOfQuery, int]:
    """Judgments of these pairs that were asked and are not in yet."""
    wanted = [PairRequest(need.query, need.a, need.b) for need in needs]
    return {
        (query, a, b): count for (query, a, b), count in pairs.judgments_in_flight(campaign, wanted).items()
    }


def ask(campaign: Campaign, needs: Sequence[Need]) -> None:
    """Ask one judgment of each of these pairs, packed together as far as one challenge goes."""
    for number in sorted({need.challenge for need in needs}):
        mine = [need for need in needs if need.challenge == number]
        wanted = [PairRequest(need.query, need.a, need.b) for need in mine]
        pairs.request_pairs(campaign, wanted, judgments=1, round=number)


def offer(campaign: Campaign) -> None:
    """Want as many places as tasks are waiting; a job posts them."""
    places.want_places(campaign)
