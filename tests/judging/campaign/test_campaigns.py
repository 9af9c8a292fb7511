from decimal import Decimal

import pytest

from config.errors import Refusal
from judging.campaign.campaign_settings import change_settings
from judging.campaign.campaigns import CampaignSettings, campaign_named, create_campaign, pause, resume
from judging.campaign.cost import quote_tasks
from judging.campaign.worker_texts import filled, set_texts
from judging.errors import CampaignRefused
from judging.launch.closure import close
from judging.models import Campaign, CampaignChange
from judging.rules.packing import task_count
from pooling.models import Pool, PooledPassage


def test_defaults_are_the_reference_experiments(fair):
    campaign = create_campaign(name="plain", settings=CampaignSettings(), pool=fair.pool)

    assert (campaign.pairs_per_task, campaign.gold_per_task, campaign.judgments_per_pair) == (10, 3, 1)
    assert (campaign.reward, campaign.screen) == (Decimal("2.00"), "reference")
    assert (campaign.state, campaign.qualifications) == ("draft", [])


@pytest.mark.parametrize(
    ("chosen", "limit"),
    [
        ({}, 1),
        ({"pairs_per_task": 1}, 4),  # 35% of 12 pairs
        ({"pairs_per_task": 1, "judgments_per_pair": 3}, 4),  # nobody judges a pair twice
        ({"pairs_per_task": 1, "max_tasks_per_worker": 9}, 9),
        ({"gold_per_task": 0}, 20),  # there is nothing to tell
    ],
)
def test_a_worker_may_do_20_tasks_or_a_third_of_a_small_campaign(fair, chosen, limit):
    campaign = create_campaign(name="small", settings=CampaignSettings(**chosen), pool=fair.pool)

    assert Campaign.objects.get(pk=campaign.pk).max_tasks_per_worker == campaign.max_tasks_per_worker == limit


def test_a_default_limit_follows_the_number_of_tasks(fair):
    campaign = create_campaign(name="small", settings=CampaignSettings(), pool=fair.pool)

    change_settings(campaign, {"pairs_per_task": 1})
    assert campaign.max_tasks_per_worker == 4

    change_settings(campaign, {"max_tasks_per_worker": 3})
    change_settings(campaign, {"pairs_per_task": 2})
    assert campaign.max_tasks_per_worker == 3


def test_reference_preset_sets_the_qualifications_of_the_reference_experiment(fair):
    campaign = create_campaign(name="us", settings=CampaignSettings(preset="reference"), pool=fair.pool)

    wanted = {row["QualificationTypeId"]: row for row in campaign.qualifications}
    assert wanted["00000000000000000071"]["LocaleValues"] == [{"Country": "US"}]
    approved, share = wanted["00000000000000000040"], wanted["000000000000000000L0"]
    assert (approved["Comparator"], approved["IntegerValues"]) == ("GreaterThan", [10_000])
    assert (share["Comparator"], share["IntegerValues"]) == ("GreaterThanOrEqualTo", [97])


@pytest.mark.parametrize(
    "wrong",
    [
        {"pairs_per_task": 0},
        {"gold_per_task": -1},
        {"judgments_per_pair": 0},
        {"max_tasks_per_worker": 0},
        {"reward": Decimal("-1")},
        {"reward": Decimal("0.005")},
        {"screen": "strict"},
        {"preset": "unknown"},
    ],
)
def test_an_invalid_setting_is_refused(fair, wrong):
    with pytest.raises(CampaignRefused):
        create_campaign(name="wrong", settings=CampaignSettings(**wrong), pool=fair.pool)

    assert not Campaign.objects.exists()


def test_an_impossible_time_is_refused():
    (refusal,) = CampaignSettings(assignment_seconds=5).problems().values()

    assert str(refusal) == "The time for a task (--task-minutes) must be between 5 minutes and 30 days."


def test_name_is_taken_once_and_unknown_names_are_answered_with_what_there_is(fair):
    create_campaign(name="mine", settings=CampaignSettings(), pool=fair.pool)

    with pytest.raises(CampaignRefused, match="already"):
        create_campaign(name="mine", settings=CampaignSettings(), pool=fair.pool)
    with pytest.raises(CampaignRefused, match="Campaigns: mine"):
        campaign_named("yours")


def test_campaign_for_imported_judgments_has_no_tasks(fair):
    campaign = create_campaign(name="elsewhere", settings=CampaignSettings(), collection=fair.collection)

    assert (campaign.pool, campaign.tasks.count()) == (None, 0)


def test_every_step_is_kept_and_a_step_out_of_order_is_refused(fair):
    campaign = fair.opened()

    pause(campaign, why="holiday", who="ada")
    with pytest.raises(CampaignRefused, match="cannot become paused"):
        pause(campaign)
    resume(campaign, who="ada")
    close(campaign)
    with pytest.raises(CampaignRefused):
        resume(campaign)

    steps = CampaignChange.objects.order_by("pk").values_list("what", "why", "who")
    assert [step[0] for step in steps] == ["created", "open", "paused", "open", "closing"]
    assert steps[2] == ("paused", "holiday", "ada")
    assert campaign.closed_at is None


def test_texts_name_pairs_dollars_and_minutes_of_the_campaign(fair):
    campaign = create_campaign(name="plain", settings=CampaignSettings(), pool=fair.pool)

    consent = filled(campaign, campaign.consent_text)

    assert "You are paid $2.00 for this task of 13 pairs" in consent
    assert "about 9 minutes" in consent
    assert "{" not in consent + filled(campaign, campaign.instructions_text)


def test_texts_of_ones_own_have_to_be_accepted_again_and_are_fixed_after_launch(fair):
    campaign = fair.draft()
    set_texts(campaign, consent="You are paid ${reward}.")
    assert campaign.texts_accepted_at is None
    assert filled(campaign, campaign.consent_text) == "You are paid $2.00."
    with pytest.raises(CampaignRefused, match="between 1 and"):
        set_texts(campaign, instructions="  ")

    Campaign.objects.update(state="open")
    campaign.refresh_from_db()
    with pytest.raises(CampaignRefused, match="texts cannot change"):
        set_texts(campaign, consent="other")


def test_reference_experiment_costs_just_over_34000_dollars(fair):
    """Shallow pooling for sparse labels: 141,887 pairs, ten to a task at $2.00, 20 % fee."""
    campaign = create_campaign(name="plain", settings=CampaignSettings(), pool=fair.pool)

    cost = quote_tasks(campaign, task_count(141_887, campaign.pairs_per_task, 1))

    assert (cost.tasks, cost.reward, cost.fee) == (14_189, Decimal("28378.00"), Decimal("5675.60"))
    assert cost.total == Decimal("34053.60")
    assert quote_tasks(campaign, task_count(141_887, campaign.pairs_per_task, 2)).total == 2 * cost.total


@pytest.mark.parametrize("name", ["a/b", "", "x" * 81, "two words"])
def test_a_name_that_is_invalid_in_an_address_is_refused(fair, name):
    with pytest.raises(Refusal, match="name"):
        create_campaign(name=name, settings=CampaignSettings(), pool=fair.pool)


@pytest.mark.parametrize(
    "changed",
    [
        {"reward": Decimal("nan")},
        {"reward": Decimal("inf")},
        {"reward": Decimal("1e9")},
        {"budget": Decimal("nan")},
        {"budget": Decimal("0.00")},
        {"budget": Decimal("1e12")},
        {"pairs_per_task": 10**9},
        {"seed": 2**63},
        {"withdrawal_days": 10**9},
    ],
)
def test_amounts_beyond_all_sense_are_refused(fair, changed):
    with pytest.raises(CampaignRefused, match="must be"):
        create_campaign(name="odd", settings=CampaignSettings(**changed), pool=fair.pool)
    assert not Campaign.objects.exists()


def test_pool_that_leaves_nothing_to_judge_is_refused_at_once_with_what_to_do(fair):
    singletons = Pool.objects.create(collection=fair.collection, name="singletons")
    empty = Pool.objects.create(collection=fair.collection, name="empty")
    query = fair.query("alone")
    PooledPassage.objects.create(pool=singletons, query=query, passage=fair.passage("alone-a"))

    for pool, words in [(singletons, "one passage for each query"), (empty, "has no queries")]:
        with pytest.raises(CampaignRefused, match=words) as refused:
            create_campaign(name="none", settings=CampaignSettings(), pool=pool)
        assert "manage.py build_pool fair-collection" in refused.value.next_step
    assert not Campaign.objects.filter(name="none").exists()
