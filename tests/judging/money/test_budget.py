from decimal import Decimal

import pytest

from judging.campaign.campaigns import pause
from judging.campaign.cost import money
from judging.errors import CampaignRefused, NotReady
from judging.launch.launches import launch_campaign
from judging.models import CampaignChange
from judging.money.budget import raise_budget, room_for
from judging.simulation.simulated_workers import _nobody_can_continue
from judging.watching.status import campaign_status
from tests.judging.test_commands import refused, run

# A campaign of the cast has four tasks of $2.40, fees included.
ALL = Decimal("9.60")


@pytest.fixture
def spent(fair):
    """A campaign with just enough for its four tasks, one of which must be repeated."""
    campaign = fair.opened(budget=ALL)
    fair.do_task(campaign, "ABADWORKER", pass_gold=False)
    fair.collect(campaign)
    return campaign


def test_simulated_workers_who_find_nothing_say_that_the_budget_is_why(fair, spent):
    for worker in ("A1", "A2", "A3"):
        fair.do_task(spent, worker)
    fair.collect(spent)

    stuck = _nobody_can_continue(spent, 25)

    assert stuck.message == "The budget of $9.60 is used up; 1 task waits."
    assert "manage.py raise_budget fair 12.00" in stuck.next_step


def test_repeats_that_cannot_be_paid_for_wait_and_say_so(fair, spent):
    assert room_for(spent) == 0
    assert fair.crowd.open_places == 3
    assert money(spent)["committed"] == ALL
    assert campaign_status(spent)["problems"] == [
        "The budget of $9.60 is used up; 1 task waits. To continue: manage.py raise_budget fair 12.00"
    ]


def test_a_raised_budget_lets_it_go_on_and_is_recorded(fair, spent):
    raise_budget(spent, Decimal("12.00"), why="repeats", who="ada")
    fair.collect(spent)

    assert fair.crowd.open_places == 4
    assert campaign_status(spent)["problems"] == []
    change = CampaignChange.objects.get(what="budget $12.00")
    assert (change.why, change.who) == ("repeats", "ada")


def test_money_for_some_waiting_tasks_offers_those(fair):
    campaign = fair.opened(budget=ALL + Decimal("2.40"))
    for worker in ("ABAD", "AWORSE"):
        fair.do_task(campaign, worker, pass_gold=False)
    fair.collect(campaign)

    assert fair.crowd.open_places == 3
    assert money(campaign)["committed"] == Decimal("12.00")


def test_launch_over_the_budget_is_refused(fair):
    campaign = fair.draft(budget=Decimal("9.59"))

    with pytest.raises(NotReady, match=r"These tasks cost \$9.60, over the campaign's budget of \$9.59"):
        launch_campaign(campaign)
    assert not campaign.postings.exists()


def test_a_budget_below_what_is_committed_or_above_the_installation_s_cap_is_refused(spent, settings):
    with pytest.raises(CampaignRefused, match="more than"):
        raise_budget(spent, Decimal("0"))
    with pytest.raises(CampaignRefused, match=r"less than the \$9.60.*Pause it first"):
        raise_budget(spent, Decimal("9.00"))
    pause(spent)
    with pytest.raises(CampaignRefused, match=r"less than the \$9.60.*Choose at least"):
        raise_budget(spent, Decimal("2.00"))
    settings.BUDGET_CAP = Decimal("20")
    with pytest.raises(CampaignRefused, match="cap of"):
        raise_budget(spent, Decimal("20.01"))

    spent.refresh_from_db()
    assert spent.budget == ALL


def test_the_confirmed_amount_is_a_cap_at_every_crowd(fair):
    launch_campaign(campaign := fair.draft())

    assert campaign.budget == campaign.confirmed_spend == ALL + Decimal("0.04")  # expected repeats
    assert room_for(campaign) == 0
    raise_budget(campaign, Decimal("14.40"))
    assert room_for(campaign) == 2


@pytest.mark.soak
def test_the_command_offers_what_waited(fair, spent):
    told = run("raise_budget", "fair", "12")

    assert (told["budget"], told["committed"]) == (12.0, 12.0)
    assert fair.crowd.open_places == 4
    assert refused("raise_budget", "fair", "3")[0] == 1
