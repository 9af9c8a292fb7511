"""Differences between two versions and their causes, and previews of publishing."""

import pytest

from judging.models import Worker
from pooling.models import Passage, Query
from tests.tournament.challengers import advance, challenge
from tournament import services
from tournament.errors import NotAsShown, OnlyRehearsed
from tournament.models import QrelVersion
from tournament.services.later_decisions import redecided_by
from tournament.services.previews import preview_version


def publish(town, **options):
    return services.publish_qrels(campaign=town.campaign, **options).version


def differing(before, after):
    """Return qid → (what, cause) of every query on which two versions differ."""
    one, other = services.edition_of(before) if before else None, services.edition_of(after)
    found = services.changes_between(one, other)
    qid = dict(Query.objects.values_list("pk", "qid"))
    why = services.causes(one, other, [(change.query, qid[change.query]) for change in found])
    return {qid[change.query]: (str(change.what), why[change.query]) for change in found}


def test_the_first_version_brings_every_query(judged_town):
    found = differing(None, publish(judged_town))

    assert {qid: what for qid, (what, _) in found.items()} == dict.fromkeys(("q1", "q2", "q3"), "arrived")
    assert found["q1"][1].judgments_new == 3


def test_a_winning_newcomer_is_named_with_its_run(crowd):
    first = publish(crowd.town)
    crowd.run("new", q1="x", q3="e")
    challenge(campaign=crowd.town.campaign, run_tags=["new"], rule="single")
    crowd.answer("x")
    advance(crowd)

    found = differing(first, publish(crowd.town))

    assert list(found) == ["q1"]
    what, cause = found["q1"]
    assert (what, cause.judgments_new, cause.judgments_gone) == ("answers", 1, 0)
    assert (cause.challenges, cause.run_tags, cause.challengers) == ((1,), ("new",), ("x",))


def test_a_passage_with_the_best_answers_text_is_distinguished_from_a_challenger(crowd):
    Passage.objects.filter(pid="a").update(class_key="same")
    first = publish(crowd.town)
    crowd.town.passage("twin", class_key="same")
    crowd.run("new", q1="twin")
    challenge(campaign=crowd.town.campaign, run_tags=["new"])
    advance(crowd)

    what, cause = differing(first, publish(crowd.town))["q1"]

    assert (what, cause.challengers, cause.twins, cause.judgments_new) == ("answers", (), ("twin",), 0)


def test_exclusions_are_distinguished_from_withdrawn_judgments(judged_town):
    one, other = Worker.objects.create(), Worker.objects.create()
    judged_town.pooled("q6", "a", "b")
    judged_town.judge("q6", "a", "b", "a", worker=one)
    judged_town.pooled("q7", "a", "b")
    judged_town.judge("q7", "a", "b", "a", worker=other)
    first = publish(judged_town)
    judged_town.exclude(one)
    exclusion = judged_town.exclude(other)
    type(exclusion).objects.filter(pk=exclusion.pk).update(rule="withdrawn")
    judged_town.judge("q6", "a", "b", "b")
    judged_town.judge("q7", "a", "b", "b")

    found = differing(first, publish(judged_town))

    assert {qid: what for qid, (what, _) in found.items()} == {"q6": "answers", "q7": "answers"}
    assert (found["q6"][1].judgments_gone, found["q6"][1].excluded, found["q6"][1].withdrew) == (1, 1, 0)
    assert (found["q7"][1].excluded, found["q7"][1].withdrew) == (0, 1)


def test_other_rules_and_open_queries_are_causes(judged_town):
    first = publish(judged_town, allow_open=True)
    services.resolve(campaign=judged_town.campaign, ties="keep", count="majority")
    judged_town.judge("q5", "b", "c", "b")
    judged_town.judge("q5", "a", "c", "a")

    found = differing(first, publish(judged_town))

    assert found["q5"][0] == "status"
    assert found["q5"][1].rules == (("ties", "recount", "keep"), ("count", "shares", "majority"))


def test_a_query_that_another_campaign_decided_says_so(judged_town):
    publish(judged_town)
    second = judged_town.new_campaign("second")
    judged_town.judge("q1", "b", "a", "b", campaign=second)
    later = services.publish_qrels(campaign=second).version

    found = differing(QrelVersion.objects.get(number=1), later)

    assert list(found) == ["q1"]
    assert found["q1"][1].campaigns == ("market", "second")


def test_a_carried_over_query_is_compared_with_the_version_that_decided_it(judged_town):
    publish(judged_town)
    second = judged_town.new_campaign("second")
    judged_town.judge("q9", "a", "b", "a", campaign=second)
    services.publish_qrels(campaign=second)
    judged_town.judge("q1", "b", "a", "b")
    judged_town.judge("q1", "b", "a", "b")
    judged_town.judge("q1", "b", "c", "b")
    third = publish(judged_town)

    _, cause = differing(QrelVersion.objects.get(number=2), third)["q1"]

    assert (cause.judgments_new, cause.campaigns) == (3, None)


def test_a_preview_says_what_publishing_does_and_publishes_nothing(judged_town):
    preview = preview_version(campaign=judged_town.campaign)

    assert QrelVersion.objects.count() == 0
    told = preview.summary()
    assert (told["number"], told["queries"], told["closed"], told["singletons"]) == (1, 3, 2, 1)
    assert (told["open"], told["arrived"], told["new"]) == (2, 3, True)
    version = publish(judged_town, as_shown=preview.fingerprint)
    assert version.queries_count == told["queries"]
    assert version.qrels_count == told["qrels"]
    assert preview_version(campaign=judged_town.campaign).new is False


def test_a_preview_warns_of_queries_that_another_campaign_decided(judged_town):
    publish(judged_town)
    second = judged_town.new_campaign("second")
    judged_town.judge("q1", "b", "a", "b", campaign=second)
    judged_town.judge("q9", "b", "a", "b", campaign=second)

    told = preview_version(campaign=second).summary()

    assert told["redecided"] == [
        "1 query that market decided in version 1 is now decided by second; 1 got different best answers."
    ]
    later = services.publish_qrels(campaign=second).version
    assert [one.words for one in redecided_by(later)] == told["redecided"]
    assert preview_version(campaign=judged_town.campaign).summary()["redecided"] == [
        "1 query that second decided in version 2 is now decided by market; 1 got different best answers."
    ]


def test_a_campaign_that_decides_its_own_queries_again_is_no_reason_to_warn(judged_town):
    publish(judged_town)
    judged_town.judge("q1", "b", "a", "b")

    assert preview_version(campaign=judged_town.campaign).redecided == []


def test_changes_that_were_not_previewed_are_not_published(judged_town):
    seen = preview_version(campaign=judged_town.campaign).fingerprint
    judged_town.judge("q1", "b", "a", "b")

    with pytest.raises(NotAsShown, match="has changed since"):
        publish(judged_town, as_shown=seen)

    assert QrelVersion.objects.count() == 0


def test_another_choice_about_open_queries_is_another_draft(judged_town):
    shut = preview_version(campaign=judged_town.campaign)
    wide = preview_version(campaign=judged_town.campaign, allow_open=True)

    assert shut.fingerprint != wide.fingerprint
    assert wide.summary()["queries"] == 4  # q4 has no best answer so far
    with pytest.raises(NotAsShown):
        publish(judged_town, allow_open=True, as_shown=shut.fingerprint)


def test_a_rehearsal_has_no_preview(judged_town):
    copy = judged_town.new_campaign("copy", rehearsal_of=judged_town.campaign)

    with pytest.raises(OnlyRehearsed):
        preview_version(campaign=copy)
