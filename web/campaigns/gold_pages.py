"""The gold pairs of a live campaign: how often each is failed, and the effects of suspending one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, Q

from judging.models import Campaign, GoldAnswer, GoldPair
from judging.people.gold_suspension import resting_on
from web.common.pair_texts import Side, meant_sides

GOLD_A_PAGE = 20


@dataclass(frozen=True)
class GoldLine:
    """A gold pair in use or suspended; ``seen`` and ``failed`` count answers in work that the crowd confirms."""

    gold: GoldPair
    seen: int
    failed: int
    sides: tuple[Side, Side]

    @property
    def failed_share(self) -> float | None:
        """Return the share of failed answers; None without answers."""
        return self.failed / self.seen if self.seen else None


def campaign_gold_page(campaign: Campaign, parameters: Any) -> dict[str, Any]:
    """Return a page of gold pairs, the most failed ones first."""
    fared = _fared(campaign)
    pairs = GoldPair.objects.filter(
        campaign=campaign, state__in=(GoldPair.State.ACCEPTED, GoldPair.State.SUSPENDED)
    )
    order = sorted(pairs.values_list("pk", flat=True), key=lambda key: _rank(fared.get(key, (0, 0)), key))
    page: Page[int] = Paginator(order, GOLD_A_PAGE).get_page(parameters.get("page"))
    found = GoldPair.objects.select_related("query", "relevant", "off_topic").in_bulk(list(page.object_list))
    return {
        "campaign": campaign,
        "page": page,
        "lines": [_line(campaign, found[key], fared) for key in page.object_list],
        "accepted": pairs.filter(state=GoldPair.State.ACCEPTED).count(),
    }


def suspension_page(campaign: Campaign, gold: GoldPair) -> dict[str, Any]:
    """One gold pair, and the workers whose exclusion depends on it."""
    line = _line(campaign, gold, _fared(campaign))
    return {"campaign": campaign, "line": line, "resting": resting_on(campaign, gold)}


def _fared(campaign: Campaign) -> dict[int, tuple[int, int]]:
    """Return gold pair → number of answers and of failed ones."""
    answers = GoldAnswer.objects.confirmed().filter(submission__campaign=campaign)
    rows = answers.values("gold_pair").annotate(seen=Count("pk"), failed=Count("pk", filter=Q(passed=False)))
    return {row["gold_pair"]: (row["seen"], row["failed"]) for row in rows.order_by()}


def _rank(fared: tuple[int, int], key: int) -> tuple[float, int, int]:
    seen, failed = fared
    return (-failed / seen if seen else 0.0, -seen, key)


def _line(campaign: Campaign, gold: GoldPair, fared: dict[int, tuple[int, int]]) -> GoldLine:
    seen, failed = fared.get(gold.pk, (0, 0))
    return GoldLine(gold, seen, failed, meant_sides(campaign, gold))
