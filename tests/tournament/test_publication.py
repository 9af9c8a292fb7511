"""Publishing versions."""

import json

import pytest

from judging.models import Campaign, Judgment, Worker
from tests.tournament.cast import at_once
from tournament import services
from tournament.errors import NoSuchVersion, NothingToPublish, OnlyRehearsed, PublishedIsFixed
from tournament.models import PreferenceQrel, QrelVersion


def lines(town, number=None):
    return services.export_qrels(collection=town.collection, number=number)[1].decode().splitlines()


def test_a_version_holds_the_best_answers_of_settled_queries(judged_town):
    publication = services.publish_qrels(campaign=judged_town.campaign, published_by="ada")

    version = publication.version
    assert publication.new
    assert (version.number, version.queries_count, version.qrels_count) == (1, 3, 5)
    assert version.published_by == "ada"
    assert lines(judged_town) == ["q1 0 a 1", "q2 0 b 1", "q2 0 c 1", "q2 0 d 1", "q3 0 e 1"]


def test_open_queries_are_published_only_when_asked(judged_town):
    publication = services.publish_qrels(campaign=judged_town.campaign, allow_open=True)

    assert publication.version.queries_count == 4
    assert "q5 0 a 1" in lines(judged_town)
    assert not any(line.startswith("q4") for line in lines(judged_town))  # nothing was judged there
    assert publication.version.queries.get(query__qid="q5").status == "open"


def test_what_simulated_workers_rehearsed_is_not_published(judged_town):
    rehearsed = Campaign.objects.create(name="real", collection=judged_town.collection, seed=1)
    Campaign.objects.filter(pk=judged_town.campaign.pk).update(rehearsal_of=rehearsed)
    judged_town.campaign.refresh_from_db()

    with pytest.raises(OnlyRehearsed, match="publish_qrels real"):
        services.publish_qrels(campaign=judged_town.campaign)

    assert not QrelVersion.objects.exists()


def test_publishing_the_same_twice_makes_no_copy(judged_town):
    first = services.publish_qrels(campaign=judged_town.campaign)
    second = services.publish_qrels(campaign=judged_town.campaign)

    assert not second.new
    assert second.version == first.version
    assert QrelVersion.objects.count() == 1


def test_a_new_judgment_makes_the_next_version(judged_town):
    first = services.publish_qrels(campaign=judged_town.campaign).version
    judged_town.judge("q4", "a", "e", "e")

    second = services.publish_qrels(campaign=judged_town.campaign).version

    assert second.number == 2
    assert second.parent == first
    assert "q4 0 e 1" in lines(judged_town, 2)
    assert "q4 0 e 1" not in lines(judged_town, 1)
    assert json.loads(second.manifest)["parent"] == {"manifest_sha256": first.manifest_sha256, "number": 1}


def test_versions_are_published_as_the_campaign_was_resolved_last(town):
    town.pooled("q1", "a", "b", "c", "d")
    town.ladder("q1", "b", "c", "d")
    for left, right, preferred in (("a", "b", "a"), ("a", "c", "a"), ("a", "d", "d")):
        town.judge("q1", left, right, preferred)

    services.resolve(campaign=town.campaign, ties="keep")
    kept = services.publish_qrels(campaign=town.campaign).version
    services.resolve(campaign=town.campaign)
    recounted = services.publish_qrels(campaign=town.campaign).version

    assert lines(town, kept.number) == ["q1 0 a 1", "q1 0 b 1"]
    assert lines(town, recounted.number) == ["q1 0 a 1"]


def test_every_member_of_a_best_answers_class_is_a_qrel(town):
    town.passage("a", "same")
    town.passage("twin", "same")
    town.pooled("q1", "a", "twin", "b")
    town.judge("q1", "a", "b", "a")

    services.publish_qrels(campaign=town.campaign)

    assert lines(town) == ["q1 0 a 1", "q1 0 twin 1"]
    assert PreferenceQrel.objects.get(propagated=True).passage.pid == "twin"


def test_queries_of_other_campaigns_are_carried_over(judged_town):
    services.publish_qrels(campaign=judged_town.campaign)
    other = judged_town.new_campaign("other")
    judged_town.judge("q1", "b", "c", "c", campaign=other)
    judged_town.judge("q9", "b", "c", "c", campaign=other)

    version = services.publish_qrels(campaign=other).version

    assert lines(judged_town) == [
        "q1 0 c 1", "q2 0 b 1", "q2 0 c 1", "q2 0 d 1", "q3 0 e 1", "q9 0 c 1",
    ]  # fmt: skip
    assert sorted(version.queries.filter(carried=True).values_list("query__qid", flat=True)) == ["q2", "q3"]
    assert json.loads(version.manifest)["carried"] == {"q2": 1, "q3": 1}
    assert version.queries.get(query__qid="q2").cycle


def test_a_query_reopened_by_an_exclusion_is_not_carried_over(town):
    town.pooled("q1", "a", "b")
    town.pooled("q2", "a", "b")
    careless = Worker.objects.create()
    town.judge("q1", "a", "b", "b", worker=careless)
    town.judge("q2", "a", "b", "a")
    services.publish_qrels(campaign=town.campaign)

    town.exclude(careless)
    version = services.publish_qrels(campaign=town.campaign).version

    assert lines(town) == ["q2 0 a 1"]
    assert [row["rule"] for row in json.loads(version.manifest)["exclusions"]] == ["gold"]


def test_an_open_query_keeps_the_answer_another_campaign_gave_it(judged_town):
    other = judged_town.new_campaign("other")
    judged_town.judge("q5", "b", "c", "c", campaign=other)
    services.publish_qrels(campaign=other)

    services.publish_qrels(campaign=judged_town.campaign)

    assert "q5 0 c 1" in lines(judged_town)


def test_simulated_judgments_mark_the_version_and_what_carries_them_on(town):
    town.pooled("q1", "a", "b")
    town.judge("q1", "a", "b", "a", judge_kind=Judgment.JudgeKind.SIMULATED)
    other = town.new_campaign("other")
    town.judge("q2", "a", "b", "a", campaign=other)

    assert services.publish_qrels(campaign=town.campaign).version.simulated
    assert services.publish_qrels(campaign=other).version.simulated


def test_a_version_of_people_alone_is_not_simulated(judged_town):
    assert not services.publish_qrels(campaign=judged_town.campaign).version.simulated


def test_nothing_settled_is_refused(town):
    town.pooled("q1", "a", "b")

    with pytest.raises(NothingToPublish):
        services.publish_qrels(campaign=town.campaign)


def test_a_version_that_does_not_exist_is_refused(judged_town):
    with pytest.raises(NoSuchVersion):
        services.export_qrels(collection=judged_town.collection)


def test_published_rows_never_change(judged_town):
    version = services.publish_qrels(campaign=judged_town.campaign).version
    qrel = version.qrels.first()

    for row in (version, qrel, version.queries.first()):
        with pytest.raises(PublishedIsFixed):
            row.save()
        with pytest.raises(PublishedIsFixed):
            row.delete()


@pytest.mark.django_db(transaction=True)
def test_publishing_two_campaigns_at_once_gives_consecutive_numbers(town):
    campaigns = [town.new_campaign(name) for name in ("one", "two", "three")]
    for number, campaign in enumerate(campaigns):
        town.judge(f"q{number}", "a", "b", "a", campaign=campaign)

    publications, errors = at_once([lambda c=c: services.publish_qrels(campaign=c) for c in campaigns])

    assert errors == []
    assert sorted(publication.version.number for publication in publications) == [1, 2, 3]
    latest = services.export_qrels(collection=town.collection)[1].decode().splitlines()
    assert latest == ["q0 0 a 1", "q1 0 a 1", "q2 0 a 1"]


@pytest.mark.django_db(transaction=True)
def test_publishing_one_campaign_twice_at_once_makes_one_version(judged_town):
    publications, errors = at_once([lambda: services.publish_qrels(campaign=judged_town.campaign)] * 3)

    assert errors == []
    assert [publication.version.number for publication in publications] == [1, 1, 1]
    assert sum(publication.new for publication in publications) == 1
