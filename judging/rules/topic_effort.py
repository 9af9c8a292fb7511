"""Forecast from the sizes of pools how many passages the rules of a topic's life ask people to judge."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from config.plurals import many
from judging.rules.topic_life import LifeRules


@dataclass(frozen=True)
class Effort:
    """Numbers of topics and passages, before anything is judged."""

    topics: int
    small: int
    """Topics whose pool has fewer passages than the opening, so that the first decision is about the whole pool."""
    few: int
    """Topics of these whose pool cannot have the relevant passages of an accepted topic without being discarded."""
    few_up_to: int
    """The passages in the largest pool of the latter; 0 if there is none."""
    openings: int
    """Passages, if every topic is discarded after its opening."""
    pools: int
    """Passages, if every topic is decided after its pool."""
    accepted: int
    """Passages, if every topic is accepted as soon as the rules allow."""
    most: int | None
    """The budget. Without one, the rules have no limit: a topic with too few relevant passages goes on."""


def forecast_effort(sizes: Mapping[int, int], rules: LifeRules, budget: int | None = None) -> Effort:
    """Return the forecast for pools; ``sizes``: passages of a pool → its topics. The budget limits all passages."""
    few = [size for size in sizes if size < rules.opening and _discarded_once_acceptable(size, rules)]
    limit = math.inf if budget is None else budget

    def passages(of_size: Mapping[int, int]) -> int:
        return int(min(limit, sum(of_size[size] * topics for size, topics in sizes.items())))

    return Effort(
        topics=sum(sizes.values()),
        small=sum(topics for size, topics in sizes.items() if size < rules.opening),
        few=sum(sizes[size] for size in few),
        few_up_to=max(few, default=0),
        openings=passages({size: min(size, rules.opening) for size in sizes}),
        pools=passages({size: size for size in sizes}),
        accepted=passages({size: _earliest_acceptance(size, rules) for size in sizes}),
        most=budget,
    )


def _discarded_once_acceptable(size: int, rules: LifeRules) -> bool:
    return size == 0 or rules.accept_relevant / size >= rules.discard_share


def _earliest_acceptance(size: int, rules: LifeRules) -> int:
    """Return the judged passages of a topic that is accepted at the first opportunity."""
    lacking = max(0, rules.accept_judged - size)
    return size + rules.batch * math.ceil(lacking / rules.batch)


def small_pools_words(effort: Effort, rules: LifeRules) -> str:
    """Return what happens to topics with too few pooled passages; empty if there are none."""
    if not effort.few:
        return ""
    have = "has" if effort.few == 1 else "have"
    return (
        f"{effort.few:,} of {many(effort.topics, 'topic')} {have} at most {many(effort.few_up_to, 'passage')} in the "
        f"pool. An accepted topic needs at least {rules.accept_relevant:,} relevant ones, but so many are "
        f"{rules.discard_share:.0%} of such a pool or more, and the rules then discard the topic."
    )


def effort_words(effort: Effort, rules: LifeRules) -> list[str]:
    """Return the range of passages to judge, and what extends it, as sentences."""
    upper = "" if effort.most is None else f", and the budget ends the judging at {effort.most:,}"
    return [
        f"{many(effort.openings, 'passage')} if every topic is discarded early, {effort.pools:,} if the whole pools "
        f"are judged, {effort.accepted:,} if every topic is accepted as early as possible{upper}.",
        no_limit_words(rules),
        *filter(None, [whole_openings_words(effort, rules), small_pools_words(effort, rules)]),
    ]


def whole_openings_words(effort: Effort, rules: LifeRules) -> str:
    """Return how many topics have a smaller pool than the opening, and what follows; empty if there are none."""
    if not effort.small:
        return ""
    have = "has" if effort.small == 1 else "have"
    return (
        f"{effort.small:,} of {many(effort.topics, 'topic')} {have} fewer than {rules.opening:,} passages in the "
        "pool: the first decision is then about the whole pool."
    )


def no_limit_words(rules: LifeRules) -> str:
    """Return which topics the rules never end."""
    return (
        f"A topic with fewer than {rules.accept_relevant:,} relevant passages, or with a density from "
        f"{rules.accept_density:.2f} to {rules.reject_density:.2f}, goes on in iterations of {rules.batch:,} "
        "until the budget or the collection is used up, or somebody decides it."
    )
