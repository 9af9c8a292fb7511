import pytest

from judging.campaign.rehearsal_copy import admit_workers, keep_people_out, record_rehearsal, rehearsal_of
from judging.errors import CampaignRefused, CrowdLater, NotReady
from judging.intake.places import kind_of_place, post_places
from judging.launch.closure import close
from judging.launch.launches import launch_campaign
from judging.models import Campaign
from judging.page import session
from judging.simulation.leftovers import only_simulation
from judging.simulation.rehearsals import rehearse_campaign
from judging.simulation.simulated_workers import SimulationSettings
from judging.workers.identities import crowd_namespace, declare_simulated
from pooling.models import Passage, QrelSet


def shapes(campaign: Campaign) -> list[list[tuple[int, int]]]:
    """The pairs of each task, in order."""
    return [
        sorted(task.task_pairs.values_list("pair__passage_a_id", "pair__passage_b_id"))
        for task in campaign.tasks.order_by("number")
    ]


def test_copy_asks_the_same_and_spends_nothing_of_the_campaigns(fair):
    campaign = fair.draft(budget=None)
    Campaign.objects.update(budget=100, title="A title of its own", gold_per_task=1)
    campaign.refresh_from_db()

    copy = rehearsal_of(campaign, who="ada")

    assert (copy.name, copy.rehearsal_of, copy.state) == ("fair-rehearsal", campaign, "draft")
    assert (copy.budget, copy.title, copy.gold_per_task) == (None, "A title of its own", 1)
    assert shapes(copy) == shapes(campaign)
    gold = ("query", "relevant", "off_topic", "state")
    assert [*copy.gold_pairs.order_by("pk").values_list(*gold)] == [
        *campaign.gold_pairs.order_by("pk").values_list(*gold)
    ]
    assert copy.consent_text == campaign.consent_text
    assert copy.texts_accepted_at == campaign.texts_accepted_at


def test_rehearsal_under_way_is_gone_on_with_and_one_that_ended_is_kept(fair):
    campaign = fair.draft()
    copy = rehearsal_of(campaign)
    keep_people_out(copy)
    launch_campaign(copy)
    assert rehearsal_of(campaign) == copy

    close(copy)

    assert rehearsal_of(campaign).name == "fair-rehearsal-2"


def test_a_copy_that_was_never_offered_is_recreated_from_the_current_campaign(fair):
    campaign = fair.draft()
    first = rehearsal_of(campaign)
    keep_people_out(first)
    Campaign.objects.filter(pk=campaign.pk).update(title="Another title")
    campaign.gold_pairs.last().delete()
    campaign.refresh_from_db()

    copy = rehearsal_of(campaign)

    assert not Campaign.objects.filter(pk=first.pk).exists()
    assert (copy.name, copy.title) == ("fair-rehearsal", "Another title")
    assert copy.gold_pairs.count() == campaign.gold_pairs.count()


def test_missing_parts_are_reported_and_no_copy_is_created(fair):
    campaign = fair.draft()
    campaign.gold_pairs.all().delete()
    truth = QrelSet.objects.create(collection=campaign.collection, name="truth", kind="graded", min_grade=1)

    with pytest.raises(NotReady, match="0 gold pairs are accepted") as refused:
        rehearse_campaign(campaign, truth, SimulationSettings(workers=2))

    assert "propose_gold fair " in refused.value.next_step
    assert not campaign.rehearsals.exists()


def test_a_second_rehearsal_at_once_leaves_the_copy_of_the_first(fair):
    campaign = fair.draft()
    truth = QrelSet.objects.create(collection=campaign.collection, name="truth", kind="graded", min_grade=1)

    with only_simulation(campaign):
        copy = rehearsal_of(campaign)
        with pytest.raises(CampaignRefused, match="already working on fair"):
            rehearse_campaign(campaign, truth, SimulationSettings(workers=2))

    assert campaign.rehearsals.get() == copy


def test_passages_without_text_stop_no_rehearsal(fair):
    campaign = fair.draft()
    Passage.objects.filter(pid="q0-a").update(text=None)

    assert rehearsal_of(campaign).placeholder_text
    assert not Campaign.objects.get(name="fair").placeholder_text


def test_its_places_ask_for_what_only_its_simulated_workers_get(fair):
    copy = rehearsal_of(fair.draft())
    fair.crowd.fail("create_block_list", CrowdLater("no answer"), after=True)
    with pytest.raises(CrowdLater):
        keep_people_out(copy)
    keep_people_out(copy)
    launch_campaign(copy)
    post_places(copy)

    [asked] = kind_of_place(copy).qualifications
    name = asked["QualificationTypeId"].removeprefix("LIST ")
    assert name.startswith("Rehearsal ")
    assert name in fair.crowd.block_lists
    assert (asked["Comparator"], asked["ActionsGuarded"]) == ("Exists", "DiscoverPreviewAndAccept")
    workers = declare_simulated(crowd_namespace(copy), ["A1", "A2"])
    admit_workers(copy, workers)
    admit_workers(copy, workers)
    assert fair.crowd.block_lists[name] == {"A1", "A2"}
    assert fair.crowd.calls["block"] == 2


def test_a_person_who_opens_its_page_is_refused(fair):
    copy = rehearsal_of(fair.draft())
    keep_people_out(copy)
    launch_campaign(copy)
    post_places(copy)
    declare_simulated(crowd_namespace(copy), ["A1"])

    with pytest.raises(session.WorkRefused, match="simulated-only"):
        fair.open_task(copy, "APERSON")
    assert fair.open_task(
        copy, "A1", next(one for one in fair.crowd.posted.values() if not one.holder)
    ).worker.simulated


def test_draft_is_rehearsed_afterwards_and_what_was_further_stays_there(fair):
    campaign = fair.draft()
    copy = rehearsal_of(campaign)

    record_rehearsal(campaign, copy, who="ada")
    assert campaign.state == Campaign.State.REHEARSED
    assert "0 judgments by simulated workers" in campaign.changes.get(what="rehearsed").why
    record_rehearsal(campaign, copy)

    assert campaign.changes.filter(what="rehearsed again").exists()
    assert launch_campaign(campaign).places == 4


def test_what_cannot_be_rehearsed_is_refused(fair, settings):
    campaign = fair.draft()
    with pytest.raises(CampaignRefused, match="cannot be rehearsed"):
        rehearsal_of(rehearsal_of(campaign))
    launch_campaign(campaign)
    with pytest.raises(CampaignRefused, match="before the launch"):
        rehearsal_of(campaign)
    settings.CROWD_ENDPOINT = "https://crowd.example"
    with pytest.raises(CampaignRefused, match="needs the built-in marketplace"):
        rehearsal_of(campaign)
