"""Notices on labels whose grades were withdrawn: on the collection's page and in the API."""

import pytest
from django.test import Client

from judging.grading.graded_labels import publish_labels
from judging.models import GradedItem, TopicDecision
from pooling.models import PrivateQuery, QuerySplit
from tests.web.versions.test_api_versions import Script

pytestmark = pytest.mark.one_database

PAGE, CALL = "/collections/harbour/", "/api/v1/collections/harbour/qrel-sets"
PUBLICLY = "Some of the grades behind the labels ours no longer count."


@pytest.fixture
def outdated(cast):
    """The labels ``ours`` have one grade of q1, which was withdrawn since."""
    items = GradedItem.objects.filter(assignment=cast.taken)
    items.update(grade=1)
    TopicDecision.objects.create(topic=cast.taken.topic, verdict="accepted", reason="", judged=1, relevant=1)
    publish_labels(cast.taken.topic.campaign, set_name="ours")
    items.update(grade=None)
    return cast


def notices(caller) -> dict[str, str | None]:
    return {one["name"]: one["outdated"] for one in caller.get(CALL).json()}


def test_members_read_how_many_grades_changed_and_what_to_do(outdated):
    page = outdated.clients["maintainer"].get(PAGE).content.decode()
    told = notices(Script())

    words = "The labels ours are out of date: 1 grade was withdrawn since they were published."
    assert words in page
    assert '<a href="/collections/harbour/grading/">Create labels from the graded campaign</a>, under' in page
    assert told["official"] is None
    assert words in told["ours"]
    assert "(POST /api/v1/collections/harbour/grading/{graded}/labels)" in told["ours"]


def test_everybody_else_reads_one_sentence_about_public_queries(outdated):
    assert PUBLICLY in outdated.clients["nobody"].get(PAGE).content.decode()
    assert notices(Client())["ours"].startswith(PUBLICLY)
    split = QuerySplit.objects.create(collection=outdated.collection, sha256="0" * 64)
    PrivateQuery.objects.create(split=split, query=outdated.query("q1"))

    assert PUBLICLY not in outdated.clients["nobody"].get(PAGE).content.decode()
    assert notices(Client())["ours"] is None


def test_labels_that_match_their_grades_have_no_notice(outdated):
    GradedItem.objects.filter(assignment=outdated.taken).update(grade=1)

    assert "out of date" not in outdated.clients["maintainer"].get(PAGE).content.decode()
    assert notices(Script())["ours"] is None
