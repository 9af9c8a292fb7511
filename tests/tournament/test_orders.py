"""The preference order of each query of a version."""

import pytest

from judging.models import Judgment, Worker
from tests.tournament.challengers import advance, challenge
from tournament import services
from tournament.errors import RebuildDiffers


def orders(town, number=1):
    version = services.latest_version(town.collection)
    assert version.number == number
    return services.preference_orders(version)


def test_a_ladder_a_cycle_and_a_singleton(judged_town):
    services.publish_qrels(campaign=judged_town.campaign)

    assert orders(judged_town) == {"q1": [["a"], ["b"], ["c"]], "q2": [["b", "c", "d"]], "q3": [["e"]]}


def test_most_judgments_of_a_pair_lead_and_cannot_decide_is_level(town):
    town.pooled("q1", "a", "b", "c", "d")
    town.ladder("q1", "a", "b", "c", "d")
    for preferred in ("c", None, "c"):
        town.judge("q1", "c", "b", preferred)
    town.judge("q1", "d", "b", "d")
    services.publish_qrels(campaign=town.campaign)

    # c leads b by 2 to 1; b and d are level; so c is above d over the pair that they were in, and over b.
    assert orders(town) == {"q1": [["a"], ["c"], ["b", "d"]]}


def test_every_member_of_a_class_stands_where_its_representative_does(town):
    for pid, text in (("a", "one"), ("b", "two"), ("c", "three"), ("b2", "two")):
        town.passage(pid, class_key=text)
    town.pooled("q1", "a", "b", "c", "b2", "z")
    town.ladder("q1", "a", "b", "c")
    town.judge("q1", "a", "z", "a")
    town.judge("q1", "b2", "z", "z")
    town.judge("q1", "z", "c", "c")
    services.publish_qrels(campaign=town.campaign)

    # b over c, c over z, and z over b, in the words of its other member: a cycle of three texts.
    assert orders(town) == {"q1": [["a"], ["b", "b2", "c", "z"]]}


def test_a_passage_that_nobody_compared_has_no_level(town):
    town.pooled("q1", "a", "b", "c", "d")
    town.judge("q1", "a", "b", "a")
    town.judge("q1", "c", "a", "a")
    town.judge("q1", "c", "b", "b")
    services.publish_qrels(campaign=town.campaign, allow_open=True)

    assert orders(town) == {"q1": [["a"], ["b"], ["c"]]}


def test_a_challenges_winner_is_on_top_and_a_loser_is_unordered_against_passages_it_never_met(crowd):
    crowd.run("new", q1="f", q3="g")
    challenge(campaign=crowd.town.campaign, run_tags=["new"])
    crowd.answer(better="ga")
    advance(crowd)
    services.publish_qrels(campaign=crowd.town.campaign)

    # f lost to a and met neither b nor c; g, which the pool did not have, beat the singleton e.
    assert orders(crowd.town) == {
        "q1": [["a"], ["b", "c", "f"]],
        "q2": [["b", "c", "d"]],
        "q3": [["g"], ["e"]],
    }


def test_carried_queries_keep_the_order_of_the_version_that_decided_them(judged_town):
    services.publish_qrels(campaign=judged_town.campaign)
    before = orders(judged_town)
    other = judged_town.new_campaign("other")
    judged_town.ladder("q9", "d", "c", "b", campaign=other)
    services.publish_qrels(campaign=other)

    assert orders(judged_town, 2) == {**before, "q9": [["d"], ["c"], ["b"]]}


def test_later_judgments_and_exclusions_change_no_order(town):
    worker = Worker.objects.create()
    town.pooled("q1", "a", "b", "c")
    town.ladder("q1", "a", "b", "c", worker=worker)
    services.publish_qrels(campaign=town.campaign)
    before = orders(town)

    town.exclude(worker)
    town.judge("q1", "b", "c", "c")
    town.judge("q1", "b", "c", "c")

    assert orders(town) == before == {"q1": [["a"], ["b"], ["c"]]}


def test_a_changed_judgment_is_noticed(judged_town):
    services.publish_qrels(campaign=judged_town.campaign)
    Judgment.objects.filter(pair__query__qid="q1").update(preferred=None)

    with pytest.raises(RebuildDiffers, match="judgments of version 1 have changed"):
        orders(judged_town)
