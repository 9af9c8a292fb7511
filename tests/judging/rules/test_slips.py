import pytest
from scipy import stats

from judging.rules.slips import assumed, measured


def answers(*workers: tuple[int, int]) -> list[tuple[int, bool]]:
    """Return single answers from each worker's (failed, seen)."""
    return [(key, place >= failed) for key, (failed, seen) in enumerate(workers) for place in range(seen)]


def test_an_assumed_rate_ranges_from_a_twentieth_of_it_up_to_it():
    slips = assumed(0.01)

    assert (slips.low, slips.high) == (0.0005, 0.01)
    assert slips.expected / slips.low == pytest.approx(slips.high / slips.expected)
    assert (slips.range_words, slips.expected_words) == ("0.05 to 1%", "0.22%")
    assert "assumed" in slips.source


def test_a_measured_rate_is_jeffreys_estimate():
    slips = measured(answers((1, 30), (0, 30)))

    posterior = stats.beta(1.5, 59.5)
    assert slips.expected == pytest.approx(posterior.mean())
    assert (slips.low, slips.high) == pytest.approx(posterior.interval(0.95))
    assert "1 of 60 missed" in slips.source


def test_no_failure_is_measured_as_rare_and_not_as_none():
    slips = measured(answers((0, 60)))

    assert slips.low == 0
    assert 0 < slips.expected < slips.high < 0.05


def test_few_answers_measure_nothing():
    assert measured(answers((0, 29))) is None


def test_workers_who_fail_half_or_more_do_not_count_as_honest():
    with_careless = measured(answers((0, 30), (2, 3), (3, 6), (1, 2)))

    assert (with_careless.failed, with_careless.seen, with_careless.careless) == (1, 32, 2)
