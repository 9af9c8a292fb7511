"""Forecast from the sizes of pools how many passages people will judge under the rules for ending a topic."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from config.plurals import many
from judging.rules.packing import task_count
from judging.rules.topic_life import LifeRules


@dataclass(frozen=True)
class Effort:
    """A forecast of the passages to judge under :class:`LifeRules`, made before anything is judged."""

    topics: int
    small: int
    """Topics whose pool has fewer passages than the opening, so that the first decision is about the whole pool."""
    few: int
    """Of these, topics that cannot be accepted: with enough relevant passages, the rules discard so small a pool."""
    few_up_to: int
    """The size of the largest pool that is too small; 0 if there is none."""
    openings: int
    """The passages to judge if every topic is discarded after its opening."""
    pools: int
    """The passages to judge if every topic is decided after its pool."""
    accepted: int
    """The passages to judge if every topic is accepted as soon as the rules allow."""
    most: int | None
    """The budget. Without one, the rules have no limit: a topic with too few relevant passages goes on."""


def forecast_effort(sizes: Mapping[int, int], rules: LifeRules, budget: int | None = None) -> Effort:
    """Return the forecast for a campaign.

    ``sizes`` maps the size of a pool to the number of topics with such a pool. ``budget`` is the maximum number of
    passages to judge in the whole campaign.
    """
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


@dataclass(frozen=True)
class LaterTasks:
    """The maximum numbers of a crowd's tasks after the openings, with one judgment per passage.

    Each number is for the case that the field of the same name describes in :class:`Effort`.
    """

    pools: int
    accepted: int
    most: int | None


def forecast_later_tasks(
    sizes: Mapping[int, int], rules: LifeRules, per_task: int, budget: int | None = None
) -> LaterTasks:
    """Return the maximum numbers of tasks of ``per_task`` passages each after the openings.

    ``sizes`` and ``budget`` are as in :func:`forecast_effort`. Topics finish their stages at different times. So the
    rest of each pool, and each iteration, may be packed separately, with a partly filled task at its end. The
    collection is assumed to be large enough for full iterations.
    """
    pools = Counter({size - rules.opening: topics for size, topics in sizes.items() if size > rules.opening})
    added = sum(topics * (_earliest_acceptance(size, rules) - size) for size, topics in sizes.items())
    accepted = pools + Counter({rules.batch: added // rules.batch})
    if budget is None:
        return LaterTasks(_most_tasks(pools, per_task), _most_tasks(accepted, per_task), None)
    left = max(0, budget - sum(topics * min(size, rules.opening) for size, topics in sizes.items()))
    endless = pools + Counter({rules.batch: math.ceil(left / rules.batch)})
    found = [_most_tasks(rounds, per_task, left) for rounds in (pools, accepted, endless)]
    return LaterTasks(*found)


def _most_tasks(rounds: Mapping[int, int], per_task: int, budget: int | None = None) -> int:
    """Return an upper bound for the number of tasks if each round of passages is packed separately.

    ``rounds`` maps a round's number of passages to the number of such rounds. If the budget does not cover all
    passages, the rounds with the most tasks per passage are counted first, the last of them in part. The budget can
    also cut a round short, which leaves at most one more partly filled task.
    """
    total = sum(passages * times for passages, times in rounds.items())
    of_one = {passages: task_count(passages, per_task) for passages in rounds}
    if budget is None or total <= budget:
        return sum(of_one[passages] * times for passages, times in rounds.items())
    tasks, left = Fraction(0), Fraction(budget)
    for passages in sorted(rounds, key=lambda one: Fraction(of_one[one], one), reverse=True):
        times = min(Fraction(rounds[passages]), left / passages)
        tasks += times * of_one[passages]
        left -= times * passages
    return math.floor(tasks + Fraction(per_task - 1, per_task)) if tasks else 0


def _discarded_once_acceptable(size: int, rules: LifeRules) -> bool:
    return size == 0 or rules.accept_relevant / size >= rules.discard_share


def _earliest_acceptance(size: int, rules: LifeRules) -> int:
    """Return how many passages are judged if a topic with a pool of this size is accepted as early as possible."""
    lacking = max(0, rules.accept_judged - size)
    return size + rules.batch * math.ceil(lacking / rules.batch)


def small_pools_words(effort: Effort, rules: LifeRules) -> str:
    """Return sentences on topics whose pool is too small to be accepted; empty if there are none."""
    if not effort.few:
        return ""
    have = "has" if effort.few == 1 else "have"
    return (
        f"{effort.few:,} of {many(effort.topics, 'topic')} {have} at most {many(effort.few_up_to, 'passage')} in the "
        f"pool. A topic with {many(rules.accept_relevant, 'relevant passage')}, the minimum for acceptance, is then "
        f"discarded, because {rules.discard_share:.0%} of its pool or more is relevant."
    )


def effort_words(effort: Effort, rules: LifeRules) -> list[str]:
    """Return the sentences of the forecast: the range of passages to judge, and the topics that may need more."""
    upper = "" if effort.most is None else f", and the budget ends the judging at {effort.most:,}"
    return [
        f"{many(effort.openings, 'passage')} if every topic is discarded early, {effort.pools:,} if the whole pools "
        f"are judged, {effort.accepted:,} if every topic is accepted as early as possible{upper}.",
        no_limit_words(rules),
        *filter(None, [whole_openings_words(effort, rules), small_pools_words(effort, rules)]),
    ]


def whole_openings_words(effort: Effort, rules: LifeRules) -> str:
    """Return a sentence on topics whose pool is smaller than the opening; empty if there are none."""
    if not effort.small:
        return ""
    have = "has" if effort.small == 1 else "have"
    return (
        f"{effort.small:,} of {many(effort.topics, 'topic')} {have} fewer than {rules.opening:,} passages in the "
        "pool: the first decision is then about the whole pool."
    )


def no_limit_words(rules: LifeRules) -> str:
    """Return a sentence on topics that the rules neither accept nor reject, whose judging goes on."""
    least = rules.accept_relevant
    few = "without a relevant passage" if least == 1 else f"with fewer than {least:,} relevant passages"
    return (
        f"A topic {few}, or with a density from "
        f"{rules.accept_density:.2f} to {rules.reject_density:.2f}, goes on in iterations of {rules.batch:,} "
        "until the budget or the collection is used up, or somebody decides it."
    )
