"""Rebuilding a published version."""

import json

import pytest

from judging.models import Judgment, Worker
from tournament import services
from tournament.errors import RebuildDiffers
from tournament.manifest import canonical_json, sha256
from tournament.models import PreferenceQrel, QrelVersion


def published(town, number):
    return services.export_qrels(collection=town.collection, number=number)[1]


def test_a_version_comes_out_again_byte_for_byte(judged_town):
    services.publish_qrels(campaign=judged_town.campaign)

    rebuilt = services.rebuild_qrels(collection=judged_town.collection, number=1)

    assert rebuilt.content == published(judged_town, 1)
    assert sha256(rebuilt.content) == rebuilt.version.qrels_sha256
    assert rebuilt.judgments == 6  # without the open query's judgment


def test_later_judgments_and_exclusions_change_nothing(town):
    town.pooled("q1", "a", "b")
    worker = Worker.objects.create()
    town.judge("q1", "a", "b", "a", worker=worker)
    services.publish_qrels(campaign=town.campaign)
    before = published(town, 1)

    town.exclude(worker)
    for _ in range(3):
        town.judge("q1", "a", "b", "b")
    services.publish_qrels(campaign=town.campaign)

    assert services.rebuild_qrels(collection=town.collection, number=1).content == before
    assert services.rebuild_qrels(collection=town.collection, number=2).content == b"q1 0 b 1\n"


def test_texts_fetched_later_do_not_change_the_classes_of_a_version(town):
    town.pooled("q1", "a", "b", "c")
    town.ladder("q1", "a", "b", "c")
    services.publish_qrels(campaign=town.campaign)

    for pid in ("a", "b"):
        passage = town.passage(pid)
        passage.class_key = "same"
        passage.save()

    assert services.rebuild_qrels(collection=town.collection, number=1).content == b"q1 0 a 1\n"


def test_carried_queries_are_derived_from_the_version_that_decided_them(judged_town):
    services.publish_qrels(campaign=judged_town.campaign)
    for number, name in enumerate(("other", "another")):
        campaign = judged_town.new_campaign(name)
        judged_town.judge(f"q9{number}", "b", "c", "c", campaign=campaign)
        services.publish_qrels(campaign=campaign)

    rebuilt = services.rebuild_qrels(collection=judged_town.collection, number=3)

    assert rebuilt.content == published(judged_town, 3)
    assert json.loads(rebuilt.version.manifest)["carried"] == {"q1": 1, "q2": 1, "q3": 1, "q90": 2}


def test_how_ties_and_pairs_were_counted_is_part_of_the_manifest(town):
    town.pooled("q1", "a", "b", "c", "d")
    town.ladder("q1", "b", "c", "d")
    for left, right, preferred in (("a", "b", "a"), ("a", "c", "a"), ("a", "d", "d")):
        town.judge("q1", left, right, preferred)
    services.resolve(campaign=town.campaign, ties="keep")
    services.publish_qrels(campaign=town.campaign)

    services.resolve(campaign=town.campaign, ties="recount")

    assert services.rebuild_qrels(collection=town.collection).content == b"q1 0 a 1\nq1 0 b 1\n"


def test_a_version_published_with_open_queries_comes_out_again(judged_town):
    services.publish_qrels(campaign=judged_town.campaign, allow_open=True)

    assert services.rebuild_qrels(collection=judged_town.collection).content == published(judged_town, 1)


def test_a_changed_judgment_is_noticed(judged_town):
    services.publish_qrels(campaign=judged_town.campaign)
    judgment = Judgment.objects.filter(pair__query__qid="q1").first()

    Judgment.objects.filter(pk=judgment.pk).update(preferred=None)

    with pytest.raises(RebuildDiffers, match="judgments of version 1 have changed"):
        services.rebuild_qrels(collection=judged_town.collection, number=1)


def test_a_changed_manifest_is_noticed(judged_town):
    version = services.publish_qrels(campaign=judged_town.campaign).version
    changed = canonical_json({**json.loads(version.manifest), "campaign": "another"})

    QrelVersion.objects.filter(pk=version.pk).update(manifest=changed)

    with pytest.raises(RebuildDiffers, match="manifest of version 1"):
        services.rebuild_qrels(collection=judged_town.collection)


def test_a_changed_row_is_noticed(judged_town):
    services.publish_qrels(campaign=judged_town.campaign)

    PreferenceQrel.objects.filter(query__qid="q1").update(passage=judged_town.passage("d"))

    with pytest.raises(RebuildDiffers, match="stored rows of version 1"):
        services.rebuild_qrels(collection=judged_town.collection)


def test_a_version_of_another_rule_version_says_so(judged_town, monkeypatch):
    services.publish_qrels(campaign=judged_town.campaign)
    monkeypatch.setattr("tournament.services.rebuilt_versions.RULE_VERSION", 2)

    with pytest.raises(RebuildDiffers, match="rule version 1; this software has rule version 2"):
        services.rebuild_qrels(collection=judged_town.collection)
