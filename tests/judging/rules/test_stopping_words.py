"""The texts that tell workers what each way of ending a task pays."""

from decimal import Decimal

import pytest

from judging.campaign.worker_texts import agreed_text
from judging.rules.pay import Pay
from judging.rules.stopping_words import ways_to_stop
from tests.judging.visitor import text


@pytest.mark.parametrize(
    ("base", "bonus", "says", "never"),
    [
        (
            "0.20",
            "1.80",
            [
                "you are paid $2.00",
                "decides about the bonus",
                "you are paid $0.20, and the bonus",
                "for the choices",
            ],
            "decides whether",
        ),
        (
            "2.00",
            "0.00",
            ["you are paid $2.00", "requester decides", "the requester decides about the choices"],
            "bonus",
        ),
        ("0.00", "0.00", ["this work is not paid"], "$"),
    ],
)
def test_each_way_says_what_is_true_under_the_campaigns_pay(base, bonus, says, never):
    ways = ways_to_stop(Pay(Decimal(base), Decimal(bonus)), minutes=60)

    told = " ".join(ways)
    assert len(ways) == 4
    assert all(words in told for words in says)
    assert never not in told
    assert "after 60 minutes" in told
    assert "add the same time once more" in told


def test_they_are_on_the_consent_page_and_in_the_recorded_text(martha, crowd_site):
    page = text(martha.arrive())

    for way in ways_to_stop(Pay(Decimal("0.20"), Decimal("1.80")), minutes=60):
        assert way in page
        assert way in agreed_text(martha.campaign)
