"""The pay for a task, in cents."""

from decimal import Decimal

import pytest
from hypothesis import given, strategies as st

from judging.rules.pay import Pay, hourly, pay_of, pay_words, shortfall

cents = st.integers(0, 100_00).map(lambda number: Decimal(number) / 100)


def test_split_and_whole_pay_the_same_for_a_whole_task():
    split = pay_of(Decimal("2.00"), Decimal("0.20"), split=True)
    whole = pay_of(Decimal("2.00"), Decimal("0.20"), split=False)

    assert (split.base, split.bonus) == (Decimal("0.20"), Decimal("1.80"))
    assert (whole.base, whole.bonus) == (Decimal("2.00"), Decimal("0.00"))
    assert split.earned(13, 13) == whole.earned(13, 13) == Decimal("2.00")
    assert split.earned(5, 13) == Decimal("0.90")  # 0.8923: up
    assert whole.earned(5, 13) == Decimal("2.00")


def test_a_base_above_the_reward_is_the_reward():
    assert pay_of(Decimal("0.10"), Decimal("0.20"), split=True) == Pay(Decimal("0.10"), Decimal("0.00"))


@given(reward=cents, base=cents, shown=st.integers(1, 40))
def test_pay_grows_with_the_pairs_judged_up_to_the_whole(reward, base, shown):
    pay = pay_of(reward, base, split=True)

    earned = [pay.earned(judged, shown) for judged in range(shown + 1)]

    assert earned == sorted(earned)
    assert (earned[0], earned[-1]) == (pay.base, reward)
    assert all(amount == amount.quantize(Decimal("0.01")) for amount in earned)


def test_no_pairs_shown_are_no_bonus_and_more_judged_than_shown_is_an_error():
    pay = Pay(Decimal("0.20"), Decimal("1.80"))

    assert pay.bonus_for(0, 0) == 0
    with pytest.raises(ValueError, match="14 of 13"):
        pay.bonus_for(14, 13)


def test_hourly_pay_and_what_lacks_to_a_minimum():
    assert hourly(Decimal("2.00"), 480) == Decimal("15.00")
    assert hourly(Decimal("2.00"), 0) == Decimal("7200.00")
    assert shortfall(Decimal("2.00"), 600, Decimal("15")) == Decimal("0.50")
    assert shortfall(Decimal("2.00"), 400, Decimal("15")) == 0


@given(
    paid=cents,
    seconds=st.integers(1, 4 * 3600 * 10**6).map(lambda micros: micros / 10**6),
    least=st.integers(1, 60_00).map(lambda number: Decimal(number) / 100),
)
def test_nobody_gets_less_than_the_stated_hourly_pay_or_a_cent_too_much(paid, seconds, least):
    lacking = shortfall(paid, seconds, least)

    earned = paid + lacking
    assert earned * 3600 >= least * Decimal(str(seconds))
    assert hourly(earned, seconds) >= least or seconds < 1
    if lacking:
        assert (earned - Decimal("0.01")) * 3600 < least * Decimal(str(seconds))


def test_a_share_of_a_cent_goes_to_the_worker_and_an_estimate_promises_none():
    assert shortfall(Decimal("2.00"), 480.6, Decimal("15")) == Decimal("0.01")  # half up: $14.98 an hour
    assert hourly(Decimal("2.00"), 480.2) == Decimal("14.99")
    assert hourly(Decimal("2.00"), 480.1) == Decimal("14.99")  # 14.9969, which must not be shown as $15.00


def test_the_texts_state_what_stopping_pays():
    words = pay_words(Pay(Decimal("0.20"), Decimal("1.80")), 13)

    assert "$2.00 for this task of 13 pairs" in words
    assert "For 6 of 13 pairs you are paid $1.04 in all." in words
    assert pay_words(Pay(Decimal("0"), Decimal("0")), 13) == "This work is not paid."
    assert "bonus" not in pay_words(Pay(Decimal("2.00"), Decimal("0")), 13)
