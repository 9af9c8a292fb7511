from decimal import Decimal
from functools import partial
from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st

from judging.rules import expectations
from judging.rules.expectations import Expectation, outlook, tasks_a_worker
from judging.rules.screening import RULES as ALL_RULES, SLIP_RATE, screen_answers
from judging.rules.slips import assumed

RULES = st.sampled_from(ALL_RULES)
expect = partial(expectations.expect, allowed=0.05)
# A slip rate below one in a million is none; above 0.9 nothing is honest anymore. Both ends keep powers in range.
SLIPS = st.floats(0, 0.9).map(lambda rate: round(rate, 6))
GOLD, TASKS = st.integers(0, 8), st.integers(1, 40)


def share_wanting(tasks: int, most: int) -> float:
    """Return the share of workers who want exactly this many tasks."""
    return 1 / tasks - (1 / (tasks + 1) if tasks < most else 0)


def by_enumeration(slip_rate: float, gold: int, most: int, rule: str) -> tuple[float, float]:
    """Return the same shares by enumerating all sequences of a worker's answers, screened by the product's rule."""
    excluded = submitted = counted = 0.0
    for tasks in range(1, most + 1):
        for course in product([True, False], repeat=gold * tasks):
            chance = share_wanting(tasks, most)
            for passed in course:
                chance *= 1 - slip_rate if passed else slip_rate
            out, done = False, 0
            while done < tasks and not out:
                done += 1
                out = screen_answers(course[: gold * done], rule, slip_rate=0.05).excluded
            submitted += chance * done
            if out:
                excluded += chance
            else:
                counted += chance * sum(all(course[gold * k : gold * (k + 1)]) for k in range(tasks))
    return excluded, 1 - counted / submitted


@pytest.mark.parametrize("rule", ALL_RULES)
@pytest.mark.parametrize(
    ("slip_rate", "gold", "tasks"), [(0.05, 3, 3), (0.3, 2, 4), (0.01, 3, 2), (0.6, 1, 8)]
)
def test_shares_are_those_of_every_possible_course(rule, slip_rate, gold, tasks):
    found = expect(slip_rate=slip_rate, gold_per_task=gold, tasks_per_worker=tasks, rule=rule)

    wanted = by_enumeration(slip_rate, gold, tasks, rule)
    assert (found.excluded_share, found.repeated_share) == pytest.approx(wanted)


def test_one_task_by_hand():
    """Three gold pairs at 5 %: 1 − 0.95³ fail, and exactly those tasks are repeated."""
    found = expect(slip_rate=0.05, gold_per_task=3, tasks_per_worker=1, rule="reference")

    assert found.excluded_share == found.repeated_share == pytest.approx(0.142625)
    assert found.cost(Decimal("100")) == Decimal("116.64")


def test_two_tasks_by_hand():
    """With q = 0.857375 half of the workers do one task: q/2 + q² of 1 + q/2 tasks count, q/2 + q²/2 stay."""
    found = expect(slip_rate=0.05, gold_per_task=3, tasks_per_worker=2, rule="reference")

    assert found.submitted == pytest.approx(1.4286875)
    assert found.counted == pytest.approx(1.1637794)
    assert found.excluded_share == pytest.approx(0.2037666)


def test_without_slips_the_mean_worker_does_the_sum_of_the_shares():
    found = expect(slip_rate=0, gold_per_task=3, tasks_per_worker=20, rule="reference")

    assert found.submitted == pytest.approx(found.counted) == pytest.approx(3.59774)


def test_rate_spares_nearly_all_honest_workers():
    found = expect(slip_rate=0.05, gold_per_task=3, tasks_per_worker=20, rule="rate")

    assert found.excluded_share < 0.06
    assert found.repeated_share == pytest.approx(0.142625, abs=0.06)


@given(SLIPS, GOLD, TASKS, RULES)
def test_shares_stay_shares_and_nobody_is_excluded_without_slips_or_gold(slip_rate, gold, tasks, rule):
    found = expect(slip_rate=slip_rate, gold_per_task=gold, tasks_per_worker=tasks, rule=rule)

    assert 0 <= found.excluded_share <= 1
    assert 0 <= found.repeated_share <= 1
    if not slip_rate or not gold:
        assert (found.excluded_share, found.repeated_share) == (0, pytest.approx(0, abs=1e-12))


@given(SLIPS, GOLD, TASKS)
def test_reference_excludes_most_and_rate_fewest_and_more_tasks_exclude_more(slip_rate, gold, tasks):
    given_ = {"slip_rate": slip_rate, "gold_per_task": gold}
    reference, strikes, rate = (expect(**given_, tasks_per_worker=tasks, rule=rule) for rule in ALL_RULES)
    longer = expect(**given_, tasks_per_worker=tasks + 1, rule="reference")

    assert rate.excluded_share <= strikes.excluded_share + 1e-9 <= reference.excluded_share + 2e-9
    assert longer.excluded_share >= reference.excluded_share - 1e-9


@given(SLIPS, GOLD, TASKS)
def test_reference_has_a_closed_form(slip_rate, gold, tasks):
    passes = (1 - slip_rate) ** gold
    found = expect(slip_rate=slip_rate, gold_per_task=gold, tasks_per_worker=tasks, rule="reference")

    wanting = [(k, share_wanting(k, tasks)) for k in range(1, tasks + 1)]
    assert found.submitted == pytest.approx(sum(passes ** (k - 1) / k for k, _ in wanting))
    assert found.counted == pytest.approx(sum(share * k * passes**k for k, share in wanting), abs=1e-12)


@pytest.mark.parametrize("rule", ALL_RULES)
@pytest.mark.parametrize("slip_rate", [0.03, 0.3])
def test_shares_are_those_of_workers_drawn_and_screened_one_by_one(rule, slip_rate):
    rng = np.random.default_rng(15)
    submitted, counted, excluded = [], [], 0
    for _ in range(1500):
        wants = min(8, int(1 / (1 - rng.random())))
        course = rng.random((wants, 3)) >= slip_rate
        done = next(
            (k for k in range(1, wants + 1) if screen_answers(course[:k].ravel().tolist(), rule).excluded),
            None,
        )
        submitted.append(done or wants)
        counted.append(0 if done else int(course.all(axis=1).sum()))
        excluded += done is not None

    found = expectations.expect(slip_rate=slip_rate, gold_per_task=3, tasks_per_worker=8, rule=rule)

    assert np.mean(submitted) == pytest.approx(found.submitted, abs=0.3)
    assert np.mean(counted) == pytest.approx(found.counted, abs=0.3)
    assert excluded / 1500 == pytest.approx(found.excluded_share, abs=0.05)


def test_two_strikes_by_hand():
    """One task with two gold pairs at 10 %: both fail in 1 %, and 19 % are repeated."""
    found = expect(slip_rate=0.1, gold_per_task=2, tasks_per_worker=1, rule="two-strikes")

    assert found.excluded_share == pytest.approx(0.01)
    assert found.repeated_share == pytest.approx(0.19)


@pytest.mark.parametrize("more", ["0.011", "0.027"])
def test_what_the_reference_experiments_paid_is_within_the_forecast(more):
    """Of [SP]: 421 tasks cost $1,022 with the pilots where one pass is $1,010.40; the first experiment 2.7 % more."""
    seen = outlook(
        assumed(SLIP_RATE), gold_per_task=3, tasks_per_worker=tasks_a_worker(20, 421), rule="reference"
    )
    paid = Decimal("1010.40") * (1 + Decimal(more))

    low, expected, high = seen.costs(Decimal("1010.40"))

    assert low < paid < expected < high
    assert expected / paid < Decimal("1.03")


@pytest.mark.parametrize(
    ("more", "one_task", "several"), [(0.011, 0.0036, 0.00066), (0.027, 0.0088, 0.00162)]
)
def test_the_slip_rates_of_the_reference_experiments_are_within_the_assumed_range(more, one_task, several):
    """The rates that give the repeats paid for: if workers do one task each, and if they do up to 20."""
    slips = assumed(SLIP_RATE)
    for rate, most in [(one_task, 1), (several, 20)]:
        found = expect(slip_rate=rate, gold_per_task=3, tasks_per_worker=most, rule="reference")

        assert found.submitted / found.counted == pytest.approx(1 + more, abs=0.0003)
        assert slips.low < rate < slips.high


@pytest.mark.parametrize(
    ("most", "tasks", "judgments", "really"),
    [
        (20, 421, 1, 20),
        (20, 30, 1, 6),
        (20, 10, 1, 2),
        (20, 3, 1, 1),
        (20, 100, 10, 10),
        (4, 100, 1, 4),
        (20, 0, 1, 1),
    ],
)
def test_a_worker_does_no_more_tasks_than_there_are_for_one(most, tasks, judgments, really):
    assert tasks_a_worker(most, tasks, judgments) == really


@pytest.mark.parametrize(
    "wrong",
    [{"slip_rate": 1.1}, {"slip_rate": -0.1}, {"gold_per_task": -1}, {"tasks_per_worker": 0}, {"rule": "x"}],
)
def test_impossible_values_are_refused(wrong):
    values = {"slip_rate": 0.05, "gold_per_task": 3, "tasks_per_worker": 2, "rule": "reference"} | wrong

    with pytest.raises(ValueError, match=r"slip_rate|rule"):
        expect(**values)


def test_no_cost_is_named_when_hardly_a_task_counts():
    assert Expectation(20, 1.0, 10.0, 0.05).cost(Decimal("100")) is None
