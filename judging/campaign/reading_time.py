"""Estimate from the texts how long it takes to read and judge a pair, and the minimum time that a reader needs."""

from functools import lru_cache
from statistics import fmean

from config import clock, kept_objects
from judging.models import Campaign, Pair
from judging.rules.reading_speed import fastest_seconds, seconds_for, words_in

#: The number of pairs to sample, or up to twice as many, spread evenly over the campaign.
PAIRS_READ = 200
KEEP_SECONDS = 3600


def seconds_a_pair(campaign: Campaign) -> float:
    """Return the estimated mean seconds per pair of the campaign; passages without text count as short."""
    return _mean_seconds(campaign)[0]


def least_seconds_a_pair(campaign: Campaign) -> float:
    """Return the estimated mean seconds per pair that even the fastest reader needs."""
    return _mean_seconds(campaign)[1]


def _mean_seconds(campaign: Campaign) -> tuple[float, float]:
    return _known_this_hour(
        campaign, campaign.created_at.timestamp(), int(clock.now().timestamp()) // KEEP_SECONDS
    )


# Every page of a worker needs these times, so each process also caches them in memory.
@lru_cache(maxsize=200)
def _known_this_hour(campaign: Campaign, created: float, hour: int) -> tuple[float, float]:
    key = kept_objects.object_key("reading", campaign.pk, created, hour)
    known: tuple[float, float] | None = kept_objects.kept(key)
    if known is None:
        known = _measure_sample(campaign)
        kept_objects.keep_object(key, known, KEEP_SECONDS)
    return known


def _measure_sample(campaign: Campaign) -> tuple[float, float]:
    keys = list(Pair.objects.filter(campaign=campaign).order_by("pk").values_list("pk", flat=True))
    some = keys[:: max(1, len(keys) // PAIRS_READ)]
    # Both columns name the same passage where single passages are graded.
    shown = ["query__text", "passage_a__text", *([] if campaign.grades else ["passage_b__text"])]
    texts = Pair.objects.filter(pk__in=some).values_list(*shown)
    words = [sum(words_in(text or "") for text in row) for row in texts] or [0.0]
    return fmean(map(seconds_for, words)), fmean(map(fastest_seconds, words))
