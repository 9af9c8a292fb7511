"""Forecasts of the passages to judge, and of the topics that small pools lose."""

import random

import numpy as np
import pytest

from judging.rules.packing import pack
from judging.rules.topic_effort import (
    Effort,
    LaterTasks,
    forecast_effort,
    forecast_later_tasks,
    no_limit_words,
    small_pools_words,
    whole_openings_words,
)
from judging.rules.topic_life import LifeRules, Tally, Verdict, after_opening

RULES = LifeRules()


def test_the_passages_of_each_case_are_added_up():
    # 8: 8 + 6 iterations of 25 = 158; 120: 120 + 2 iterations = 170; 200 is enough.
    found = forecast_effort({8: 2, 120: 1, 200: 1}, RULES)

    assert found == Effort(
        topics=4,
        small=2,
        few=2,
        few_up_to=8,
        openings=8 * 2 + 100 + 100,
        pools=8 * 2 + 120 + 200,
        accepted=158 * 2 + 170 + 200,
        most=None,
    )


def test_the_budget_limits_every_case():
    found = forecast_effort({8: 2, 120: 1}, RULES, budget=130)

    assert (found.openings, found.pools, found.accepted, found.most) == (116, 130, 130, 130)


@pytest.mark.parametrize("size", range(1, 120))
def test_a_pool_is_too_small_if_the_relevant_passages_of_an_accepted_topic_discard_it(size):
    few = forecast_effort({size: 1}, RULES).few
    needed = min(size, RULES.accept_relevant)

    decision = after_opening(Tally(min(size, RULES.opening), needed), RULES)

    assert bool(few) == (decision is not None and decision.verdict is Verdict.DISCARDED)


@pytest.mark.parametrize("rules", [LifeRules(accept_relevant=1, discard_share=1.0), LifeRules(opening=4)])
def test_other_rules_make_other_pools_too_small(rules):
    assert forecast_effort({4: 1, 9: 1}, rules).few == 0


def test_the_sentences_state_the_numbers():
    found = forecast_effort({8: 2, 3: 1, 120: 1}, RULES)

    assert small_pools_words(found, RULES) == (
        "3 of 4 topics have at most 8 passages in the pool. A topic with 4 relevant passages, the minimum for "
        "acceptance, is then discarded, because 50% of its pool or more is relevant."
    )
    assert whole_openings_words(found, RULES) == (
        "3 of 4 topics have fewer than 100 passages in the pool: the first decision is then about the whole pool."
    )
    enough = forecast_effort({120: 1}, RULES)
    assert (small_pools_words(enough, RULES), whole_openings_words(enough, RULES)) == ("", "")
    assert "fewer than 4 relevant passages, or with a density from 0.40 to 0.50" in no_limit_words(RULES)
    assert no_limit_words(LifeRules(accept_relevant=1)).startswith(
        "A topic without a relevant passage, or with"
    )


@pytest.mark.parametrize(
    ("batch", "accepted", "most"),
    [
        # The rest of the pool of 120 is 20 passages: 2 tasks of 15. The budget leaves 184 after the openings.
        (3, 2 + 2 * 48 + 10, 61 + 1),  # 61 iterations of 3 need a task each, and the passage that is left
        (25, 2 + 2 * (6 * 2) + 2 * 2, 16),  # at most 15 in fact: the bound counts a part of an iteration
    ],
)
def test_every_iteration_of_a_topic_has_tasks_of_its_own(batch, accepted, most):
    rules = LifeRules(batch=batch)

    assert forecast_later_tasks({8: 2, 120: 1}, rules, 15) == LaterTasks(2, accepted, None)
    assert forecast_later_tasks({8: 2, 120: 1}, rules, 15, budget=300).most == most


@pytest.mark.parametrize("batch", [1, 3, 7, 25])
@pytest.mark.parametrize("per_task", [1, 3, 10, 20])
def test_no_order_of_topics_needs_more_tasks_than_forecast(batch, per_task):
    """Draw which topic ends its stage next; the budget cuts the last round short."""
    rules, sizes = LifeRules(batch=batch, opening=10), {5: 2, 11: 3, 24: 2}
    pools = [size for size, topics in sizes.items() for _ in range(topics)]
    openings = sum(min(size, rules.opening) for size in pools)
    for seed in range(40):
        rng = random.Random(seed)
        budget = openings + rng.randrange(1, 120)
        left, tasks = budget - openings, 0
        rests = [size - rules.opening for size in pools]
        while left > 0:
            topic = rng.randrange(len(pools))
            round_of = rests[topic] if rests[topic] > 0 else batch
            rests[topic] = 0
            tasks += len(pack([topic] * min(left, round_of), per_task, np.random.default_rng(seed)))
            left -= round_of

        assert tasks <= forecast_later_tasks(sizes, rules, per_task, budget).most <= budget - openings


def test_an_empty_campaign_needs_nothing():
    found = forecast_effort({}, RULES)

    assert (found.topics, found.few_up_to, found.accepted) == (0, 0, 0)
