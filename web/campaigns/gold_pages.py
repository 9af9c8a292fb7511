"""The gold pairs of a live campaign: how often workers fail each pair, and the effects of suspending a pair."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, Q

from judging.models import Campaign, GoldAnswer, GoldPair
from judging.people.gold_suspension import resting_on
from web.common.column_sort import sort_by_column
from web.common.pair_texts import Side, meant_sides

GOLD_A_PAGE = 20


@dataclass(frozen=True)
class GoldLine:
    """A gold pair in use or suspended; ``seen`` and ``failed`` count answers in confirmed submissions."""

    gold: GoldPair
    seen: int
    failed: int
    sides: tuple[Side, Side]

    @property
    def failed_share(self) -> float | None:
        """The share of failed answers; None without answers."""
        return self.failed / self.seen if self.seen else None


@dataclass(frozen=True)
class _SortedGold:
    """The values of a gold pair by which the list can be sorted."""

    key: int
    qid: str
    kind: str
    state: str
    seen: int
    failed: int


#: Column → sort key. A minus before the column's name sorts in descending order.
SORTS: dict[str, Callable[[_SortedGold], Any]] = {
    "rate": lambda row: row.failed / row.seen if row.seen else None,
    "failed": lambda row: row.failed,
    "seen": lambda row: row.seen,
    "pair": lambda row: row.key,
    "query": lambda row: row.qid,
    "kind": lambda row: row.kind,
    "state": lambda row: row.state,
}
MOST_FAILED = "-rate"


def campaign_gold_page(campaign: Campaign, parameters: Any) -> dict[str, Any]:
    """Return a page of gold pairs, sorted as the URL requests; by default, most often failed first."""
    sort = parameters.get("sort", MOST_FAILED)
    sort = sort if sort.removeprefix("-") in SORTS else MOST_FAILED
    answered = _answer_counts(campaign)
    pairs = GoldPair.objects.filter(
        campaign=campaign, state__in=(GoldPair.State.ACCEPTED, GoldPair.State.SUSPENDED)
    )
    rows = [
        _SortedGold(key, qid, kind, state, *answered.get(key, (0, 0)))
        for key, qid, kind, state in pairs.values_list("pk", "query__qid", "kind", "state")
    ]
    rows.sort(key=lambda row: (-row.seen, row.key))  # among equals, most answers first
    order = [row.key for row in sort_by_column(rows, sort, SORTS)]
    page: Page[int] = Paginator(order, GOLD_A_PAGE).get_page(parameters.get("page"))
    found = GoldPair.objects.select_related("query", "relevant", "off_topic").in_bulk(list(page.object_list))
    return {
        "campaign": campaign,
        "sort": sort,
        "page": page,
        "lines": [_gold_line(campaign, found[key], answered) for key in page.object_list],
        "accepted": pairs.filter(state=GoldPair.State.ACCEPTED).count(),
    }


def suspension_page(campaign: Campaign, gold: GoldPair) -> dict[str, Any]:
    """Return one gold pair, and the workers whose exclusion depends on it."""
    line = _gold_line(campaign, gold, _answer_counts(campaign))
    return {"campaign": campaign, "line": line, "resting": resting_on(campaign, gold)}


def _answer_counts(campaign: Campaign) -> dict[int, tuple[int, int]]:
    """Return gold pair → (number of answers, number of failed answers), over confirmed submissions."""
    answers = GoldAnswer.objects.confirmed().filter(submission__campaign=campaign)
    rows = answers.values("gold_pair").annotate(seen=Count("pk"), failed=Count("pk", filter=Q(passed=False)))
    return {row["gold_pair"]: (row["seen"], row["failed"]) for row in rows.order_by()}


def _gold_line(campaign: Campaign, gold: GoldPair, answered: dict[int, tuple[int, int]]) -> GoldLine:
    seen, failed = answered.get(gold.pk, (0, 0))
    return GoldLine(gold, seen, failed, meant_sides(campaign, gold))
