"""The latest version compared with current judgments."""

import pytest

from config import clock
from judging.models import Exclusion, ImportedFile, Worker
from pooling.models import Passage
from tests.tournament.challengers import Crowd, challenge
from tournament.services import compare_versions, drift, drift_of, publish_qrels, resolve, versions_changed


@pytest.fixture
def careless(judged_town):
    """judged_town with q6, where only one worker preferred y; published as version 1."""
    worker = Worker.objects.create()
    judged_town.pooled("q6", "x", "y")
    judged_town.judge("q6", "x", "y", "y", worker=worker)
    publish_qrels(campaign=judged_town.campaign)
    return worker


def now(town):
    found = drift_of(town.collection)
    assert found is not None
    return found


def import_more(town):
    """Import another file of judgments, with the event that every import records."""
    ImportedFile.objects.create(campaign=town.campaign, name="more", sha256=str(ImportedFile.objects.count()))


def test_nothing_published_has_nothing_to_drift_from(judged_town):
    assert drift_of(judged_town.collection) is None


def test_a_version_equals_what_counts_when_it_is_published(judged_town, careless):
    assert not now(judged_town)
    assert now(judged_town).as_dict()["up_to_date"]


def test_an_exclusion_is_noticed_and_its_reversal_too(judged_town, careless):
    exclusion = judged_town.exclude(careless)

    found = now(judged_town)
    assert (found.gone, found.new, found.queries, found.excluded) == (1, 0, 1, 1)
    assert (found.answers, found.left, found.arrived) == (0, 1, 0)
    assert found.gone_on == {"q6"}
    assert found.campaigns == ("market",)
    assert "1 of its judgments no longer counts (1 worker was excluded)" in found.words
    assert "1 query drops out" in found.effect

    Exclusion.objects.filter(pk=exclusion.pk).update(reversed_at=clock.now())
    assert not now(judged_town)


def test_withdrawn_judgments_are_distinguished_from_exclusions(judged_town, careless):
    exclusion = judged_town.exclude(careless)
    Exclusion.objects.filter(pk=exclusion.pk).update(rule=Exclusion.WITHDRAWN)

    found = now(judged_town)
    assert (found.excluded, found.withdrew) == (0, 1)
    assert "1 worker withdrew their judgments" in found.words


def test_a_repeat_by_another_worker_may_change_the_best_answer(judged_town, careless):
    judged_town.exclude(careless)
    judged_town.judge("q6", "x", "y", "x", worker=Worker.objects.create())

    found = now(judged_town)
    assert (found.gone, found.new, found.queries) == (1, 1, 1)
    assert (found.answers, found.left) == (1, 0)
    assert found.effect == "Publishing again would change this: 1 query gets different best answers."


def test_publishing_again_makes_it_equal(judged_town, careless):
    judged_town.exclude(careless)
    assert now(judged_town)

    publish_qrels(campaign=judged_town.campaign)

    assert now(judged_town).version == 2
    assert not now(judged_town)


def test_a_query_that_was_settled_since_is_newly_covered(judged_town, careless):
    judged_town.judge("q4", "a", "e", "e")
    import_more(judged_town)

    found = now(judged_town)
    assert (found.gone, found.new, found.arrived) == (0, 1, 1)


def test_judgments_on_a_query_that_stays_open_change_nothing(judged_town, careless):
    judged_town.judge("q5", "b", "c", None)
    import_more(judged_town)

    assert not now(judged_town)


def test_another_way_to_count_is_no_change_of_judgments(judged_town, careless):
    resolve(campaign=judged_town.campaign, ties="keep")

    assert not now(judged_town)


@pytest.fixture
def twin_on_top(judged_town, careless, monkeypatch):
    """A finished challenge: a new run's top for q1 has the text of the best answer a."""
    crowd = Crowd(judged_town, monkeypatch)
    Passage.objects.filter(pk=judged_town.passage("a").pk).update(class_key="same")
    judged_town.passage("twin", "same")
    crowd.run("new", q1="twin")
    assert not now(judged_town)
    return challenge(campaign=judged_town.campaign, run_tags=["new"]).challenge


def test_a_challenge_that_only_adds_equal_texts_calls_for_a_new_version(judged_town, twin_on_top):
    assert twin_on_top.state == "done"
    found = now(judged_town)
    assert (found.gone, found.new, found.joined, found.queries, found.answers) == (0, 0, 1, 1, 1)
    assert found.campaigns == ("market",)
    assert found.words == (
        "Version 1 is out of date: 1 query has new passages with the text of its best answer."
    )
    assert not found.as_dict()["up_to_date"]

    publish_qrels(campaign=judged_town.campaign)

    assert not now(judged_town)


def test_equal_texts_are_counted_besides_judgments(judged_town, careless, twin_on_top):
    judged_town.exclude(careless)

    found = now(judged_town)
    assert (found.gone, found.joined, found.queries, found.answers, found.left) == (1, 1, 2, 1, 1)


def test_carried_queries_follow_the_campaign_that_decided_them(judged_town, careless):
    other = judged_town.new_campaign("other")
    judged_town.judge("q9", "b", "c", "c", campaign=other)
    publish_qrels(campaign=other)
    assert not now(judged_town)

    judged_town.exclude(careless)

    found = now(judged_town)
    assert (found.version, found.gone, found.left) == (2, 1, 1)
    assert found.campaigns == ("market",)


def test_queries_that_another_campaign_decided_since_are_not_compared(judged_town, careless):
    other = judged_town.new_campaign("other")
    judged_town.judge("q6", "x", "y", "x", campaign=other)
    publish_qrels(campaign=other)

    judged_town.exclude(careless)

    assert not now(judged_town)


def test_it_is_compared_once_until_something_changes(judged_town, careless, monkeypatch):
    assert not now(judged_town)
    monkeypatch.setattr(drift, "_compute_drift", lambda version: pytest.fail("compared again"))

    assert not now(judged_town)


def test_many_collections_cost_as_many_queries_as_one(judged_town, careless, django_assert_max_num_queries):
    now(judged_town)
    with django_assert_max_num_queries(6):
        drift.drifts([judged_town.collection] * 5)


def test_a_page_does_not_wait_for_a_long_comparison(judged_town, careless, monkeypatch):
    monkeypatch.setattr(drift, "PATIENCE", -1.0)
    collections = [judged_town.collection]
    assert drift.drifts(collections, wait=False) == {}

    compare_versions()
    assert not drift.drifts(collections, wait=False)[judged_town.collection.pk]
    assert not versions_changed()

    judged_town.exclude(careless)
    assert versions_changed()
    assert not drift.drifts(collections, wait=False)[judged_town.collection.pk]
    assert compare_versions() == 1
    assert drift.drifts(collections, wait=False)[judged_town.collection.pk].gone == 1
