"""Refused challenges: money, texts, ended campaigns, one at a time."""

from decimal import Decimal

import pytest

from pooling.errors import NotFound
from tests.tournament.challengers import challenge
from tournament.errors import CampaignOver, ChallengeUnderWay, SpendNotConfirmed, TextsMissing
from tournament.services.challenge_progress import advance_challenges
from tournament.services.challenges import open_challenge, plan_challenge
from tournament.services.other_rooms import committed_dollars


def test_a_second_challenge_waits_for_the_first(crowd):
    crowd.run("new", q1="x")
    crowd.run("newer", q1="y")
    challenge(campaign=crowd.town.campaign, run_tags=["new"])

    with pytest.raises(ChallengeUnderWay, match="Challenge 1"):
        challenge(campaign=crowd.town.campaign, run_tags=["newer"])


def test_an_unknown_run_is_refused_with_the_runs_there_are(crowd):
    crowd.run("new", q1="x")

    with pytest.raises(NotFound, match="no run other") as refusal:
        challenge(campaign=crowd.town.campaign, run_tags=["new", "other"])

    assert "new" in refusal.value.next_step


def test_challengers_without_text_are_refused_unless_placeholders_are_allowed(crowd):
    crowd.run("new", q1="x")
    crowd.town.campaign.placeholder_text = False

    with pytest.raises(TextsMissing, match="2 passages have no text"):
        challenge(campaign=crowd.town.campaign, run_tags=["new"])


def test_real_money_is_spent_only_when_somebody_agrees(crowd):
    crowd.run("new", q1="x")
    crowd.town.campaign.confirmed_spend = Decimal(100)
    crowd.town.campaign.endpoint = "https://crowd.example"
    crowd.town.campaign.save()
    plan = plan_challenge(campaign=crowd.town.campaign, run_tags=["new"])

    with pytest.raises(SpendNotConfirmed, match=r"up to \$12.00 of real money"):
        open_challenge(plan=plan)
    with pytest.raises(SpendNotConfirmed):
        open_challenge(plan=plan, confirm_spend=Decimal("11.99"))
    open_challenge(plan=plan, confirm_spend=Decimal(12))


def test_no_more_is_spent_than_the_installations_cap(crowd, settings):
    crowd.run("new", q1="x")
    plan = plan_challenge(campaign=crowd.town.campaign, run_tags=["new"])
    settings.BUDGET_CAP = committed_dollars(crowd.town.campaign) + Decimal("11.99")

    with pytest.raises(SpendNotConfirmed, match=r"over the cap of \$"):
        open_challenge(plan=plan, confirm_spend=Decimal(12))


def test_no_more_is_spent_than_the_campaigns_budget(crowd):
    crowd.run("new", q1="x")
    plan = plan_challenge(campaign=crowd.town.campaign, run_tags=["new"])
    crowd.town.campaign.budget = committed_dollars(crowd.town.campaign) + Decimal("11.99")

    with pytest.raises(SpendNotConfirmed, match=r"over its budget of \$"):
        open_challenge(plan=plan, confirm_spend=Decimal(12))


def test_a_challenge_may_use_what_a_budget_agreed_to_at_launch_leaves(crowd):
    crowd.run("new", q1="x")
    plan = plan_challenge(campaign=crowd.town.campaign, run_tags=["new"])
    budget = committed_dollars(crowd.town.campaign) + 12
    crowd.town.campaign.confirmed_spend = crowd.town.campaign.budget = budget

    assert open_challenge(plan=plan, confirm_spend=Decimal(12)).challenge


@pytest.mark.parametrize("state", ["closing", "closed"])
def test_a_campaign_that_ends_can_not_be_challenged(crowd, state):
    crowd.run("new", q1="x")
    crowd.town.campaign.state = state

    with pytest.raises(CampaignOver):
        plan_challenge(campaign=crowd.town.campaign, run_tags=["new"])


@pytest.mark.parametrize("state", ["closing", "closed"])
def test_campaigns_that_end_are_left_alone(crowd, state):
    crowd.run("new", q1="x")
    challenge(campaign=crowd.town.campaign, run_tags=["new"])
    crowd.town.campaign.state = state
    crowd.town.campaign.save()

    assert advance_challenges() == {}
