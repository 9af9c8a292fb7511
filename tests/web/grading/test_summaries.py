"""Graded campaigns and topics to judge on the home page and in a collection's lists."""

import pytest
from django.urls import reverse

from judging.models import Campaign, GradedCampaign, TopicAssignment
from pooling.models import QrelSet
from tests.web.grading.test_grading_pages import grade, people as people, text
from web.grading.summaries import graded_progress

HOME = reverse("web:home")


def test_an_assessors_home_page_leads_to_free_topics_and_to_those_in_progress(people):
    assessor, owner = people.clients["assessor"], people.clients["owner"]
    idle = text(assessor.get(HOME))
    assert "You have no unfinished topics" in idle
    assert not any(
        words in idle for words in ("Campaigns under way", "Pools", "No leaderboard yet", "Spending")
    )
    assert people.judging in text(owner.get(HOME))
    assert "Spending" in text(owner.get(HOME))

    TopicAssignment.objects.all().delete()

    shown = text(assessor.get(HOME))
    assert "Choose from 1 free topic" in shown
    assert people.page in shown
    assert "Topics to judge" not in text(owner.get(HOME))


def test_a_finished_topic_is_not_shown_as_in_progress(people):
    grade(people, 1)

    assert people.judging not in text(people.clients["owner"].get(HOME))


def test_a_second_opinion_is_in_progress_until_its_last_grade(people):
    grade(people, 1)
    client = people.clients["assessor"]
    take = reverse("web:take_topic", args=["harbour", "swell", people.taken.topic_id])
    judging = client.post(take, {"second": "1"})["Location"]
    assert judging in text(client.get(HOME))

    client.post(judging, {"item": TopicAssignment.objects.get(second=True).items.get().pk, "grade": "0"})

    assert judging not in text(client.get(HOME))


def test_members_see_graded_campaigns_among_those_under_way(people):
    assert people.page in text(people.clients["viewer"].get(HOME))

    people.clients["manager"].post(reverse("web:end_grading", args=["harbour", "swell"]), {"why": "summer"})

    assert people.page not in text(people.clients["viewer"].get(HOME))


def test_a_collection_with_only_graded_campaigns_does_not_deny_having_one(people):
    address = reverse("web:collection_campaigns", args=["harbour"])
    Campaign.objects.update(state=Campaign.State.CLOSED, archived_at=people.taken.taken_at)

    shown = text(people.clients["owner"].get(address))

    assert people.page in shown
    assert "0 of 1 topic decided" in shown
    assert "No crowd campaign yet." in shown
    assert "No campaign yet." not in shown


def test_progress_counts_passages_and_decisions(people):
    grade(people, 1)

    (found,) = graded_progress([people.collection])

    assert (found.judged, found.topics, found.decided, found.labels) == (1, 1, 1, [])
    assert found.done


@pytest.mark.parametrize("name", ["official", "graded"])
def test_a_board_without_a_version_names_its_labels(people, name):
    QrelSet.objects.filter(name="official").update(name=name)

    shown = text(
        people.clients["owner"].get(reverse("web:leaderboard", args=["harbour"]), {"version": "none"})
    )

    assert f"This leaderboard uses the {name} labels alone." in shown


def test_a_graded_campaign_is_deleted_only_after_a_tick(people):
    TopicAssignment.objects.all().delete()
    delete = reverse("web:delete_grading", args=["harbour", "swell"])
    owner = people.clients["owner"]

    asked = text(owner.post(delete, follow=True))
    assert "Nothing was deleted. Tick the box" in asked
    assert GradedCampaign.objects.exists()

    owner.post(delete, {"sure": "1"})
    assert not GradedCampaign.objects.exists()
