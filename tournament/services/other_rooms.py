"""Services of pooling and judging, as challenges and versions use them.

Pooling finds the top passages of runs and fetches texts. Judging accepts pairs and counts pending judgments.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from django.conf import settings

from config.background.job_kinds import Progress
from judging.campaign import cost, pairs
from judging.campaign.cost import money
from judging.intake import places
from judging.models import Campaign, Task
from judging.rules.packing import PairRequest
from pooling.models import Collection, Passage, Run
from pooling.passages import clusters, passages
from pooling.runs import runs
from pooling.storage import bulk
from pooling.storage.bulk import Key
from tournament.contests import Need


def key_parts(keys: Iterable[Key]) -> list[list[Key]]:
    """Return the keys in ascending order, in lists short enough for one database query."""
    return bulk.parts(keys, 20_000)


def top_pids(run: Run) -> dict[str, str]:
    """Map qids to the run's top pids."""
    return {qid: tops[0] for qid, tops in runs.tops_of(run, depth=1).items() if tops}


def passages_with_text(
    collection: Collection, pids: Iterable[str], progress: Progress | None = None
) -> dict[str, Passage]:
    """Map pids to passages, created if new, with texts if a source has them."""
    return passages.ensure(collection=collection, pids=sorted(set(pids)), progress=progress)


def canonical_passages(
    collection: Collection, pids: Iterable[str], progress: Progress | None = None
) -> dict[int, int]:
    """Map keys of near-duplicates to keys of their canonical passages. Records canonical passages if new."""
    canonical = clusters.canonical_of(collection, sorted(set(pids)))
    keys = passages.record_passages(collection, canonical)
    found = passages_with_text(collection, canonical.values(), progress)
    return {keys[pid]: found[first].pk for pid, first in canonical.items()}


def price_of_tasks(campaign: Campaign, tasks: int) -> Decimal:
    """Return the price of this many tasks in dollars, fees included."""
    return cost.quote_tasks(campaign, tasks).total


def committed_dollars(campaign: Campaign) -> Decimal:
    """Return the campaign's total cost in dollars, fees included: paid, owed, held and unfinished tasks."""
    sums = money(campaign)
    undone = campaign.tasks.exclude(state=Task.State.DONE).count()
    return sums["spent"] + sums["owed"] + sums["held"] + price_of_tasks(campaign, undone)


def takes_real_money(campaign: Campaign) -> bool:
    """Return whether the campaign runs on a crowd site other than the built-in marketplace."""
    return campaign.endpoint not in ("", settings.EMBEDDED_CROWD_ENDPOINT)


def judgments_under_way(campaign: Campaign, needs: Sequence[Need]) -> Mapping[PairRequest, int]:
    """Return how many judgments of each pair were requested but have not arrived."""
    return pairs.judgments_in_flight(campaign, [PairRequest(need.query, need.a, need.b) for need in needs])


def ask_judgments(campaign: Campaign, needs: Sequence[Need]) -> None:
    """Request one judgment of each pair; pairs of one challenge share tasks."""
    for number in sorted({need.challenge for need in needs}):
        mine = [need for need in needs if need.challenge == number]
        wanted = [PairRequest(need.query, need.a, need.b) for need in mine]
        pairs.request_pairs(campaign, wanted, judgments=1, round=number)


def want_places_of(campaign: Campaign) -> None:
    """Request one place for each waiting task; a job posts them."""
    places.want_places(campaign)
