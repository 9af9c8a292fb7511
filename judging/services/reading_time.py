"""How long a pair of a campaign takes to read and judge, by the length of its texts."""

from __future__ import annotations

from config import kept_objects
from judging.haste import words_in
from judging.models import Campaign, Pair
from judging.reading import seconds_for

#: So many pairs, spread over the campaign, stand for all of them.
PAIRS_READ = 200
KEEP_SECONDS = 3600


def seconds_a_pair(campaign: Campaign) -> float:
    """The mean over the campaign's pairs; passages without a text count as short."""
    key = kept_objects.key_of("reading", campaign.pk, campaign.created_at.timestamp())
    known: float | None = kept_objects.read(key)
    if known is None:
        known = _measured(campaign)
        kept_objects.keep(key, known, KEEP_SECONDS)
    return known


def _measured(campaign: Campaign) -> float:
    keys = list(Pair.objects.filter(campaign=campaign).order_by("pk").values_list("pk", flat=True))
    some = keys[:: max(1, len(keys) // PAIRS_READ)]
    texts = Pair.objects.filter(pk__in=some).values_list("query__text", "passage_a__text", "passage_b__text")
    times = [seconds_for(sum(words_in(text or "") for text in row)) for row in texts]
    return sum(times) / len(times) if times else seconds_for(0)
