from dataclasses import replace
from decimal import Decimal

import pytest

from judging.rules.screening import RULES
from judging.rules.screening_choice import Setting, compare_rules, right_answers

USUAL = Setting(gold_per_task=3, tasks_per_worker=20, one_pass=Decimal("1010.40"), pools={6: 250})


def by_rule(setting: Setting):
    return {row.rule: row for row in compare_rules(setting)}


def test_all_rules_are_compared_and_one_is_recommended():
    rows = compare_rules(USUAL)

    assert [row.rule for row in rows] == list(RULES)
    assert [row.recommended for row in rows].count(True) == 1


@pytest.mark.parametrize("most", [1, 2, 20])
def test_of_the_rules_level_with_the_best_the_one_that_keeps_most_honest_workers_is_recommended(most):
    rows = compare_rules(replace(USUAL, tasks_per_worker=most))
    best = max(row.right_per_dollar for row in rows)

    level = [row for row in rows if row.level]
    (recommended,) = [row for row in rows if row.recommended]

    assert level == [row for row in rows if row.right_per_dollar >= 0.97 * best]
    assert recommended in level
    assert recommended.honest_kept >= max(row.honest_kept for row in level) - 0.001


def test_a_tiny_gain_does_not_cost_honest_workers():
    """In a short campaign the strict rule finds slightly more per dollar, but loses more honest workers."""
    rows = by_rule(replace(USUAL, tasks_per_worker=3))

    assert rows["reference"].right_per_dollar > rows["two-strikes"].right_per_dollar
    assert (rows["reference"].level, rows["reference"].recommended) == (True, False)
    assert rows["reference"].honest_kept < rows["two-strikes"].honest_kept


def test_strategies_that_pass_easily_call_for_a_stricter_rule():
    hard, easy = ((0.5, 0.5), (0.58, 0.37)), ((0.5, 0.5), (0.98, 0.37))
    long = replace(USUAL, slip_rate=0.002)

    assert by_rule(replace(long, careless=hard))["rate"].recommended
    assert by_rule(replace(long, careless=easy))["reference"].recommended


def test_long_campaigns_keep_honest_workers_and_short_ones_screen_at_once():
    long, short = by_rule(USUAL), by_rule(replace(USUAL, tasks_per_worker=2, careless_share=0.3))

    assert not long["reference"].recommended
    assert short["reference"].recommended


def test_the_strict_rule_keeps_fewest_honest_workers_and_costs_most():
    rows = by_rule(USUAL)

    assert rows["reference"].honest_kept < rows["two-strikes"].honest_kept < rows["rate"].honest_kept
    assert rows["reference"].cost > rows["two-strikes"].cost > rows["rate"].cost


def test_more_careless_workers_cost_more_and_leave_more_behind():
    few, many = by_rule(replace(USUAL, careless_share=0.1)), by_rule(replace(USUAL, careless_share=0.4))

    for rule in RULES:
        assert many[rule].cost > few[rule].cost
        assert many[rule].bad_judgments >= few[rule].bad_judgments


def test_without_test_pairs_everything_counts():
    for row in compare_rules(replace(USUAL, gold_per_task=0)):
        assert (row.honest_kept, row.careless_caught, row.cost) == (1, 0, Decimal("1010.40"))
        assert row.bad_judgments == pytest.approx(0.2)


def test_where_hardly_a_task_counts_nothing_is_right():
    rows = by_rule(replace(USUAL, slip_rate=0.9, careless=((0.1, 0.5),)))

    assert rows["reference"].cost is None
    assert rows["reference"].right_per_dollar == 0


@pytest.mark.parametrize(
    ("judgments", "right"), [(1, 0.9**5), (2, 0.9**5), (3, (0.9**3 + 3 * 0.9**2 * 0.1) ** 5)]
)
def test_a_best_answer_is_right_when_it_beats_every_rival(judgments, right):
    setting = replace(USUAL, pools={6: 1}, judgments_per_pair=judgments)

    assert right_answers(setting, 0.1) == pytest.approx(right)
