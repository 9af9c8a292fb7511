"""Published labels of graded campaigns whose grades were withdrawn or changed since."""

import pytest

from judging.grading.crowd_grading import carry_grades
from judging.grading.graded_labels import publish_labels
from judging.grading.outdated_labels import outdated_labels
from judging.models import GradedItem, Judgment
from judging.people.exclusions import exclude_worker
from tests.judging.grading.test_crowd_grading import Reef


@pytest.fixture
def published(crowd, make_campaign):
    """The crowd's campaign, after labels ``ours`` were made of its accepted topic q1."""
    fair = Reef(crowd, make_campaign())
    campaign = fair.opened()
    for _ in range(2):
        fair.work_off(campaign)
        carry_grades(campaign)
        fair.collect(campaign)
    publish_labels(campaign.grading, set_name="ours")
    return campaign


def test_labels_are_up_to_date_as_long_as_their_grades_are(published):
    assert outdated_labels(published.collection) == []


def test_labels_say_that_a_worker_behind_them_was_excluded(published):
    judge = Judgment.objects.filter(campaign=published, pair__query__qid="q1").first().worker
    judged = Judgment.objects.filter(campaign=published, pair__query__qid="q1", worker=judge).count()

    exclude_worker(published, judge, why="copied", who="ann")
    carry_grades(published)

    (found,) = outdated_labels(published.collection)
    assert (found.withdrawn, found.changed) == ({"q1": judged}, {})
    were = "1 grade was" if judged == 1 else f"{judged} grades were"
    assert found.words == (
        f"The labels ours are out of date: {were} withdrawn since they were published. They stay as they are."
    )
    assert found.next_step == (
        "Create labels again: manage.py publish_grades reef graded --set NAME, under another name."
    )


def test_a_grade_that_was_given_again_counts_only_if_it_changed(published):
    items = GradedItem.objects.filter(assignment__topic__query__qid="q1").order_by("pk")
    first, second = items[:2]
    GradedItem.objects.filter(pk=first.pk).update(grade=1 if first.grade != 1 else 2)
    GradedItem.objects.filter(pk=second.pk).update(grade=None)
    publish_labels(published.grading, set_name="later", incomplete=True)

    GradedItem.objects.filter(pk=second.pk).update(grade=second.grade)

    (found,) = outdated_labels(published.collection)
    assert (found.labels.qrel_set.name, found.withdrawn, found.changed) == ("ours", {}, {"q1": 1})
    assert found.next_step == "The labels later were created later from the same campaign."
