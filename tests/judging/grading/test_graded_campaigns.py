"""Graded campaigns: what is refused, near-duplicates that change before the judging begins, and deletion."""

import pytest

from judging.campaign.duplicate_classes import import_clusters, remove_clusters
from judging.campaign.judging_orders import judging_orders
from judging.errors import BadInput, CampaignRefused
from judging.grading import graded_campaigns
from judging.grading.assignments import end_assignment, take_topic, topic_named
from judging.grading.graded_campaigns import GradingSettings, create_graded_campaign, delete_graded_campaign
from judging.models import GradedCampaign
from judging.rules.grade_scale import Level
from pooling.models import Passage, Pool
from pooling.pools.pools import build_pool
from tests.judging.grading.conftest import RULES


def test_a_pool_without_texts_is_refused(reef):
    Passage.objects.filter(pid="p1").update(text=None)
    pool = build_pool(collection=reef, name="depth", runs=list(reef.runs.all()), depth=10)

    with pytest.raises(CampaignRefused, match="1 passage of pool depth has no text"):
        create_graded_campaign(pool=pool, name="graded")
    create_graded_campaign(pool=pool, name="graded", settings=GradingSettings(placeholder_text=True))
    with pytest.raises(CampaignRefused, match="already has a graded campaign"):
        create_graded_campaign(pool=pool, name="graded", settings=GradingSettings(placeholder_text=True))


def test_the_least_relevant_grade_is_one_of_the_scale(make_campaign):
    scale = (Level("No", "It does not answer."), Level("Yes", "It answers."))

    with pytest.raises(BadInput, match="Grade 2 cannot be"):
        make_campaign(scale=scale)


def test_near_duplicates_can_change_until_a_topic_is_taken(make_campaign, people, tmp_path):
    campaign = make_campaign()
    stale = topic_named(campaign, "q1")
    file = tmp_path / "clusters.txt"
    file.write_text("p1 p1\np1 p2\np1 p3\n")

    import_clusters(campaign.collection, file)

    assert len(topic_named(campaign, "q1").order) == 4
    taken = take_topic(stale, people[0])  # loaded before the order changed
    assert set(taken.items.values_list("passage__pid", flat=True)) == {"p1", "p4", "p5", "p6"}
    with pytest.raises(CampaignRefused, match="Tasks or judgments of graded depend on"):
        remove_clusters(campaign.collection)


def test_near_duplicates_that_arrive_while_a_campaign_is_created_count(make_campaign, tmp_path, monkeypatch):
    file = tmp_path / "clusters.txt"
    file.write_text("p1 p1\np1 p2\np1 p3\n")
    computed = []

    def order_then_cluster(pool):
        computed.append(judging_orders(pool))
        if len(computed) == 1:
            import_clusters(pool.collection, file)
        return computed[-1]

    monkeypatch.setattr(graded_campaigns, "judging_orders", order_then_cluster)

    assert len(topic_named(make_campaign(), "q1").order) == 4


def test_removed_near_duplicates_are_judged_separately_again(make_campaign, tmp_path):
    campaign = make_campaign()
    before = topic_named(campaign, "q1").order
    file = tmp_path / "clusters.txt"
    file.write_text("p1 p1\np1 p2\n")

    import_clusters(campaign.collection, file)
    remove_clusters(campaign.collection)

    assert topic_named(campaign, "q1").order == before


def test_a_graded_campaign_can_be_deleted_until_its_judging_begins(make_campaign, people):
    campaign = make_campaign()
    delete_graded_campaign(campaign, who="owner")
    assert not GradedCampaign.objects.exists()

    pool = Pool.objects.get(name="depth")
    again = create_graded_campaign(pool=pool, name="graded", settings=GradingSettings(rules=RULES))
    end_assignment(take_topic(topic_named(again, "q1"), people[0]), why="not mine", who="ada")
    with pytest.raises(CampaignRefused, match="The judging of graded has begun"):
        delete_graded_campaign(again)
