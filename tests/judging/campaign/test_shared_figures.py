"""Figures computed once for one page."""

import pytest

from judging.campaign.shared_figures import figures_read_once, kept_while_reading
from judging.models import Campaign

pytestmark = pytest.mark.one_database


@pytest.fixture
def counted():
    calls = []

    @kept_while_reading
    def figure(campaign):
        calls.append(campaign.pk)
        return len(calls)

    return figure, calls


def test_a_figure_is_computed_once_for_each_campaign_inside_the_block(counted):
    figure, calls = counted
    one, other = Campaign(pk=1), Campaign(pk=2)

    with figures_read_once():
        assert [figure(one), figure(one), figure(other), figure(one)] == [1, 1, 2, 1]
        with figures_read_once():  # a part of the page
            assert figure(one) == 1

    assert calls == [1, 2]


def test_outside_it_is_computed_every_time(counted):
    figure, calls = counted
    campaign = Campaign(pk=1)

    with figures_read_once():
        figure(campaign)
    figure(campaign)
    figure(campaign)

    assert calls == [1, 1, 1]


def test_a_figure_that_fails_is_tried_again(counted):
    figure, _ = counted
    attempts = []

    @kept_while_reading
    def failing(campaign):
        attempts.append(campaign)
        raise ValueError

    with figures_read_once():
        for _ in range(2):
            with pytest.raises(ValueError):
                failing(Campaign(pk=1))

    assert len(attempts) == 2
