"""Money is reserved before it is committed: against a person's grants, and the cap of the installation."""

from datetime import timedelta
from decimal import Decimal

import pytest

from config import clock
from judging.campaign.campaigns import pause
from judging.campaign.reservations import reserved_for
from judging.campaign.spending_rights import installation_spending, spending_right
from judging.errors import CampaignRefused, MayNotSpend
from judging.launch.closure import close, finish_closing
from judging.launch.launches import Terms, amount_to_confirm, launch_campaign
from judging.launch.pilots import pilot_campaign
from judging.models import Campaign, Place, Worker
from judging.money.budget import raise_budget, refuse_budget
from judging.money.refused_payments import undo_settlement
from judging.money.top_ups import owe_top_ups
from pooling.collections.spending_grants import change_grant, grant_spending, revoke_grant
from tests.judging.cast import Fair

# A campaign of the cast has four tasks of $2.40, fees included.
ALL = Decimal("9.60")
WITH_REPEATS = Decimal("9.64")


@pytest.fixture
def mia(django_user_model):
    """A person who launches campaigns, and an administrator."""
    django_user_model.objects.create_user("ada", is_superuser=True)
    return django_user_model.objects.create_user("mia")


def granted(amount, *, days=30, **to):
    last_day = clock.now().date() + timedelta(days=days)
    return grant_spending(amount=Decimal(amount), last_day=last_day, who="ada", **to)


def launched_by(person, campaign):
    return launch_campaign(campaign, confirm_spend=amount_to_confirm(campaign), by=person)


def left(person, campaign):
    return spending_right(person, campaign.collection).left


def test_a_person_without_a_grant_spends_nothing_and_reads_whom_to_ask(fair, mia):
    campaign = fair.draft()

    with pytest.raises(MayNotSpend) as refusal:
        launched_by(mia, campaign)
    with pytest.raises(MayNotSpend):
        pilot_campaign(campaign, tasks=1, terms=Terms(confirm_spend=Decimal("2.40")), by=mia)

    assert "nobody has granted you any" in refusal.value.message
    assert refusal.value.next_step == (
        "Ask an administrator (ada) for a spending grant, to you or to fair-collection."
    )
    assert campaign.state == "draft"
    assert not Place.objects.exists()


def test_administrators_stay_unnamed_where_strangers_have_accounts(fair, mia, settings):
    settings.OIDC_SIGNUP = True

    with pytest.raises(MayNotSpend) as refusal:
        launched_by(mia, fair.draft())

    assert "ada" not in str(refusal.value)


def test_grants_to_the_person_and_to_the_collection_pay_together(fair, mia, django_user_model):
    campaign = fair.draft()
    own, shared = granted("5.00", person=mia), granted("6.00", collection=fair.collection, days=5)
    granted("100", person=django_user_model.objects.create_user("somebody-else"))

    assert launched_by(mia, campaign).places == 4

    rows = dict(campaign.reservations.values_list("grant", "amount"))
    assert rows == {
        shared.pk: Decimal("6.00"),
        own.pk: Decimal("3.64"),
    }  # the grant that ends first is used first
    assert left(mia, campaign) == Decimal("1.36")


@pytest.mark.parametrize("end", ["over", "revoked", "too small", "for another collection"])
def test_a_grant_that_is_over_revoked_too_small_or_elsewhere_pays_for_nothing(fair, mia, end):
    elsewhere = Fair(fair.crowd, name="other").collection
    grant = granted("9.63" if end == "too small" else "10", collection=elsewhere if "other" in end else None,
                    person=None if "other" in end else mia)  # fmt: skip
    if end == "over":
        type(grant).objects.update(last_day=clock.now().date() - timedelta(days=1))
    if end == "revoked":
        revoke_grant(grant, who="ada")

    with pytest.raises(MayNotSpend):
        launched_by(mia, fair.draft())


def test_a_raised_budget_takes_from_the_grant_and_a_lowered_one_gives_back(fair, mia):
    campaign, grant = fair.draft(), granted("20", person=mia)
    launched_by(mia, campaign)

    with pytest.raises(MayNotSpend, match=r"\$15.36, but your spending grants have only \$10.36 left"):
        raise_budget(campaign, Decimal(25), by=mia)
    with pytest.raises(MayNotSpend):
        refuse_budget(campaign, Decimal(25), by=mia)
    campaign.refresh_from_db()
    assert campaign.budget == campaign.confirmed_spend == WITH_REPEATS

    raise_budget(campaign, Decimal(20), by=mia)
    assert left(mia, campaign) == 0
    raise_budget(campaign, Decimal(12), by=mia)
    assert left(mia, campaign) == 8
    change_grant(grant, amount=Decimal(12), last_day=grant.last_day, who="ada")
    with pytest.raises(MayNotSpend):
        raise_budget(campaign, Decimal(13), by=mia)


def test_a_closing_campaign_that_can_still_pay_for_saved_work_reserves_a_raised_budget(fair, mia):
    campaign = fair.draft()
    granted("10.64", person=mia)
    launched_by(mia, campaign)
    close(campaign)

    with pytest.raises(MayNotSpend):
        raise_budget(campaign, Decimal(12), by=mia)
    raise_budget(campaign, Decimal("10.64"), by=mia)

    assert reserved_for(campaign) == campaign.confirmed_spend == Decimal("10.64")


def test_the_budget_of_a_draft_reserves_nothing_and_its_launch_all_of_it(fair, mia):
    campaign = fair.draft()
    raise_budget(campaign, Decimal(50), by=mia)
    granted("49.99", person=mia)

    with pytest.raises(MayNotSpend):
        launched_by(mia, campaign)
    granted("0.01", person=mia)
    launched_by(mia, campaign)

    assert reserved_for(campaign) == 50


def test_a_launch_that_fails_for_another_reason_keeps_nothing(fair, mia):
    granted("100", person=mia)
    campaign = fair.draft()
    launched_by(mia, campaign)

    again = launch_campaign(Campaign.objects.get(pk=campaign.pk), confirm_spend=WITH_REPEATS, by=mia)
    assert again.already
    with pytest.raises(Exception, match="already open"):
        launch_campaign(Campaign.objects.get(pk=campaign.pk), confirm_spend=Decimal("9.65"), by=mia)

    assert reserved_for(campaign) == WITH_REPEATS


def test_a_closed_campaign_gives_back_what_people_were_not_paid(fair, mia):
    campaign = fair.draft()
    granted("20", person=mia)
    launched_by(mia, campaign)
    fair.collect(campaign)
    fair.do_task(campaign, "A1")
    fair.do_task(campaign, "ASIMULATED")
    fair.collect(campaign)
    Worker.objects.filter(identity__crowd_worker_id="ASIMULATED").update(simulated=True)

    close(campaign)
    Place.objects.filter(state="open").update(state="gone")
    assert finish_closing(campaign)

    assert left(mia, campaign) == Decimal("17.60")
    assert installation_spending().reserved == Decimal("2.40")


def test_a_pilot_reserves_its_cost_and_afterwards_what_it_spent(fair, mia):
    campaign = fair.draft()
    granted("10", person=mia)
    pilot_campaign(campaign, tasks=2, terms=Terms(confirm_spend=Decimal("4.80")), by=mia)
    assert left(mia, campaign) == Decimal("5.20")
    with pytest.raises(CampaignRefused, match=r"You confirmed \$1.00, but the amount is \$2.40"):
        pilot_campaign(
            Fair(fair.crowd, name="other").draft(), tasks=1, terms=Terms(confirm_spend=Decimal(1)), by=mia
        )

    Place.objects.filter(number=2).update(state="gone")
    pause(campaign)

    assert left(mia, campaign) == Decimal("7.60")
    raise_budget(campaign, Decimal(500), by=mia)
    with pytest.raises(MayNotSpend):
        launched_by(mia, campaign)


def test_the_installation_s_cap_binds_administrators_and_the_terminal_too(fair, mia, settings):
    settings.SPENDING_CAP = Decimal("15")
    first, second = fair.draft(), Fair(fair.crowd, name="other").draft()
    launch_campaign(first)

    with pytest.raises(CampaignRefused, match=r"\$5.36 of \$15.00 in 30 days is left"):
        launch_campaign(second)
    granted("100", person=mia)
    with pytest.raises(CampaignRefused, match="PREFEREE_SPENDING_CAP"):
        launched_by(mia, second)
    with pytest.raises(CampaignRefused, match="PREFEREE_SPENDING_CAP"):
        raise_budget(first, Decimal("15.01"))

    close(first)
    Place.objects.update(state="gone")
    finish_closing(first)
    assert launch_campaign(second).places == 4


def test_what_closed_campaigns_spent_counts_for_the_days_of_the_cap(fair, settings):
    campaign = fair.opened(budget=ALL)
    fair.do_task(campaign, "A1")
    fair.collect(campaign)
    close(campaign)
    Place.objects.filter(state="open").update(state="gone")
    finish_closing(campaign)
    assert installation_spending().reserved == Decimal("2.40")

    campaign.reservations.update(settled_at=clock.now() - timedelta(days=31))

    assert installation_spending().reserved == 0


def test_a_top_up_after_the_end_is_reserved_separately(fair, mia):
    campaign = fair.opened(budget=Decimal(100))
    submission = fair.do_task(campaign, "A1")
    fair.collect(campaign)
    opened = submission.opened_at
    type(submission).objects.update(finished_at=opened + timedelta(seconds=600))
    close(campaign)
    Place.objects.filter(state="open").update(state="gone")
    finish_closing(campaign)
    assert reserved_for(campaign) == Decimal("2.40")

    with pytest.raises(MayNotSpend):
        owe_top_ups(campaign, Decimal(15), by=mia)
    granted("1", person=mia)
    plan = owe_top_ups(campaign, Decimal(15), by=mia)

    assert plan.total > 0
    assert reserved_for(campaign) == Decimal("2.40") + plan.total
    assert not campaign.reservations.filter(settled_at=None).exists()


def test_payments_reopened_after_the_end_are_reserved_again(fair, mia):
    campaign = fair.opened()
    submission = fair.do_task(campaign, "A1")
    fair.collect(campaign)
    bonus = submission.payments.filter(kind="bonus")
    bonus.update(state="settled")
    close(campaign)
    Place.objects.filter(state="open").update(state="gone")
    finish_closing(campaign)
    assert reserved_for(campaign) == Decimal("0.24")

    with pytest.raises(MayNotSpend):
        undo_settlement(campaign, submission, by=mia)
    assert bonus.get().state == "settled"
    granted("5", person=mia)
    undo_settlement(campaign, submission, by=mia)

    assert (bonus.get().state, reserved_for(campaign)) == ("owed", Decimal("2.40"))
