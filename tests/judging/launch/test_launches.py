from decimal import Decimal

import pytest

from judging.campaign.worker_texts import passages_without_text
from judging.errors import AlreadyLaunched, CrowdLater, NotReady
from judging.launch.checks import each_check
from judging.launch.launches import Terms, launch_campaign, plan_offer
from judging.launch.pilots import pilot_campaign
from judging.models import Campaign, GoldPair, Place, Worker
from judging.workers.identities import refusal_reason
from pooling.models import Passage

ELSEWHERE = "https://crowd.example"


def refused(campaign, word, **options):
    with pytest.raises(NotReady, match=word) as caught:
        launch_campaign(campaign, **options)
    campaign.refresh_from_db()
    assert campaign.state == Campaign.State.DRAFT
    assert not Place.objects.exists()
    return caught.value


def test_launch_opens_the_campaign_and_wants_a_place_for_each_task(fair):
    campaign = fair.draft()

    launched = launch_campaign(campaign, who="ada")

    assert (campaign.state, launched.places, launched.cost.total) == ("open", 4, Decimal("9.60"))
    assert Place.objects.filter(state=Place.State.WANTED).count() == 4
    assert any("no outside money" in check.words for check in launched.checks)
    assert campaign.changes.get(what="open").who == "ada"


def test_the_same_launch_again_changes_nothing_and_another_amount_is_refused(fair):
    campaign = fair.draft()
    launched = launch_campaign(campaign, confirm_spend=Decimal("20"))
    assert launched.already == ""

    for amount in (Decimal("20"), None):
        again = launch_campaign(campaign, confirm_spend=amount)
        assert (again.places, again.checks) == (0, [])
        assert again.already == (
            "Campaign fair is already open, launched with $20.00 confirmed. Nothing changed. "
            "Run: manage.py collect fair, to offer the remaining tasks."
        )
    with pytest.raises(AlreadyLaunched) as refused:
        launch_campaign(campaign, confirm_spend=Decimal("21"))

    assert str(refused.value) == again.already
    assert campaign.postings.count() == 1


def test_a_launch_during_a_pilot_is_refused(fair):
    campaign = fair.draft()
    pilot_campaign(campaign, tasks=1)

    with pytest.raises(AlreadyLaunched, match=r"already piloting\. Nothing changed"):
        launch_campaign(campaign)


def test_the_loser_of_a_launch_race_does_nothing_and_reports_no_checks(fair, crowd, monkeypatch):
    campaign, told = fair.draft(), []
    balance = crowd.balance

    def launched_meanwhile():
        monkeypatch.setattr(crowd, "balance", balance)
        launch_campaign(Campaign.objects.get(pk=campaign.pk))
        return balance()

    monkeypatch.setattr(crowd, "balance", launched_meanwhile)

    assert "already open" in launch_campaign(campaign, tell=told.append).already
    assert told == []
    assert campaign.postings.count() == 1


def test_passed_checks_are_listed_up_to_the_failed_one(fair):
    campaign, told = fair.draft(), []
    GoldPair.objects.first().delete()

    refused(campaign, "5 gold pairs", tell=told.append)

    assert [check.name for check in told] == ["endpoint", "balance", "cost", "spending"]


def test_fewer_gold_pairs_than_a_worker_could_see_are_refused(fair):
    campaign = fair.draft()
    GoldPair.objects.first().delete()

    error = refused(campaign, "5 gold pairs are accepted and 6 are needed")

    assert "max-tasks-per-worker" in error.next_step


def test_proposed_gold_does_not_count_as_accepted(fair):
    campaign = fair.draft()
    GoldPair.objects.update(state=GoldPair.State.PROPOSED)

    refused(campaign, "0 gold pairs")


def test_passages_without_text_are_refused_unless_only_simulated_workers_see_them(fair):
    campaign = fair.draft()
    Passage.objects.filter(pid="q0-a").update(text=None)
    Passage.objects.filter(pid="off-topic-1").update(text=None)
    assert set(passages_without_text(campaign)) == {"q0-a", "off-topic-1"}
    assert "off-topic-1" in refused(campaign, "2 passages have no text: ").message

    Campaign.objects.update(placeholder_text=True)
    campaign.refresh_from_db()

    assert any("simulated workers only" in check.words for check in launch_campaign(campaign).checks)


def test_a_launch_for_simulated_workers_lets_nobody_else_in(fair):
    campaign = fair.draft()
    Passage.objects.filter(pid="q1-a").update(text=None)
    assert "--placeholder-text" in refused(campaign, "1 passage has no text").next_step

    launch_campaign(campaign, placeholder_text=True)

    assert refusal_reason(campaign, Worker.objects.create()) == "simulated-only"
    assert refusal_reason(campaign, Worker.objects.create(simulated=True)) is None


def test_for_simulated_workers_no_strategies_are_compared(fair):
    campaign = fair.draft()
    Campaign.objects.update(placeholder_text=True)
    campaign.refresh_from_db()

    checks = each_check(plan_offer(campaign, 4, Terms()))

    (one,) = [check for check in checks if check.name == "strategies"]
    assert (one.passed, one.attention, one.outcomes) == (True, False, None)


def test_texts_nobody_accepted_are_refused(fair):
    campaign = fair.draft()
    Campaign.objects.update(texts_accepted_at=None)
    campaign.refresh_from_db()

    assert "set_texts fair --accept" in refused(campaign, "Nobody has accepted").next_step


def test_pool_with_nothing_to_judge_is_refused(fair):
    campaign = fair.draft()
    campaign.tasks.all().delete()

    refused(campaign, "nothing to judge")


def test_money_is_spent_elsewhere_only_when_the_cost_is_confirmed(fair, settings, pages):
    settings.CROWD_ENDPOINT = ELSEWHERE
    campaign = fair.draft()

    assert "--confirm-spend 9.60" in refused(campaign, r"costs \$9.60").next_step
    refused(campaign, r"costs \$9.60", endpoint=ELSEWHERE, confirm_spend=Decimal("9.59"))
    launch_campaign(campaign, endpoint=ELSEWHERE, confirm_spend=Decimal("9.60"))

    assert (campaign.endpoint, campaign.confirmed_spend) == (ELSEWHERE, Decimal("9.60"))


def test_endpoint_that_other_processes_do_not_call_is_refused(fair):
    refused(
        fair.draft(), "is not this installation's endpoint", endpoint=ELSEWHERE, confirm_spend=Decimal("100")
    )


def test_cost_over_the_cap_is_refused(fair, settings):
    settings.BUDGET_CAP = Decimal("9.00")

    refused(fair.draft(), "over the cap")


def test_too_little_money_on_the_crowds_account_is_refused(fair):
    fair.crowd.dollars = Decimal("9.59")

    refused(fair.draft(), r"has a balance of \$9.59")


def test_crowd_that_does_not_answer_is_refused_with_its_reason(fair, monkeypatch):
    def no_answer():
        raise CrowdLater("The crowd does not answer.", "It is retried automatically.")

    monkeypatch.setattr(fair.crowd, "balance", no_answer)

    refused(fair.draft(), "does not answer")
