"""Dollars, cents and fees."""

import pytest

from marketplace.rules import money


@pytest.mark.parametrize(("text", "amount"), [("2", 200), ("2.", 200), ("2.5", 250), ("0.07", 7), ("0", 0)])
def test_every_spelling_of_the_pattern_is_read(text, amount):
    assert money.cents(text) == amount


def test_cents_are_written_with_two_decimals():
    assert [money.protocol_amount(amount) for amount in (0, 7, 205, 100_000)] == [
        "0.00",
        "0.07",
        "2.05",
        "1000.00",
    ]


@pytest.mark.parametrize(("reward", "fee"), [(200, 40), (1, 1), (4, 1), (7, 1), (8, 2), (0, 0)])
def test_fee_is_a_fifth_rounded_half_up_and_at_least_a_cent(reward, fee):
    assert money.fee(reward) == fee


def test_ten_assignments_cost_twice_the_fee_of_nine():
    assert money.reward_fee(200, 9) == 40
    assert money.reward_fee(200, 10) == 80
