"""When the next run is allowed: worked by hand, and compared with a search day by day."""

from datetime import date, timedelta

from hypothesis import given, strategies as st

from pooling.rules.submission_rules import keeps_to, next_welcome

FIRST = date(2026, 1, 1)
days = st.integers(0, 40).map(lambda number: FIRST + timedelta(days=number))


def day(number):
    return FIRST + timedelta(days=number)


def test_two_runs_in_any_ten_days():
    submitted = [day(0), day(3)]

    assert next_welcome(submitted, wanted=day(3), most=2, days=10) == day(10)
    assert next_welcome(submitted, wanted=day(9), most=2, days=10) == day(10)
    assert next_welcome(submitted, wanted=day(10), most=2, days=10) == day(10)


def test_a_period_may_begin_before_and_end_after():
    """No period of ten days contains both day 0 and day 12, but each shares one with day 6."""
    assert next_welcome([day(0), day(12)], wanted=day(6), most=1, days=10) == day(22)
    assert next_welcome([day(0), day(12)], wanted=day(6), most=2, days=10) == day(6)


def test_the_first_run_is_allowed_at_once():
    assert next_welcome([], wanted=FIRST, most=1, days=30) == FIRST


@given(st.lists(days, max_size=7), days, st.integers(1, 3), st.integers(1, 12))
def test_the_result_is_the_first_allowed_day(submitted, wanted, most, length):
    found = next_welcome(submitted, wanted=wanted, most=most, days=length)

    tried = (wanted + timedelta(days=number) for number in range(200))
    allowed = (one for one in tried if keeps_to([*submitted, one], one, most=most, days=length))
    assert found == next(allowed)
