"""Challenges: the challengers, the pairs asked and the results."""

import pytest

from judging.models import Worker
from tests.tournament.challengers import advance, best, challenge
from tournament import services
from tournament.models import Challenge, QueryResult
from tournament.services.challenge_progress import advance_challenges
from tournament.services.challenges import plan_challenge


def test_only_unseen_tops_are_asked_against_the_best_answers(crowd):
    crowd.run("new", q1="x", q2="b", q3="e")

    opened = challenge(campaign=crowd.town.campaign, run_tags=["new"])

    assert crowd.pairs() == {"a-x": 2}
    assert opened.advance.asked == 2
    assert crowd.offers == 1


def test_a_passage_that_lost_before_is_no_challenger(crowd):
    crowd.run("new", q1="c", q2="x")

    plan = plan_challenge(campaign=crowd.town.campaign, run_tags=["new"])

    assert [row.query.qid for row in plan.rows] == ["q2"]
    assert plan.known_tops == 1


def test_the_forecast_comes_before_anything_is_recorded(crowd):
    crowd.run("new", q1="x", q2="y")
    crowd.run("newer", q1="z")

    summary = plan_challenge(campaign=crowd.town.campaign, run_tags=["new", "newer"]).summary()

    assert summary["challengers"] == 3
    assert summary["queries"] == 2
    assert summary["pairs"] == {"fewest": 5, "most": 6}  # x and z meet a; y meets b, c, d; x and z may meet
    assert summary["judgments"] == {"fewest": 10, "most": 30}
    assert summary["tasks"] == {"fewest": 2, "most": 17}
    assert summary["cost"]["fewest"] == pytest.approx(4.8)
    assert Challenge.objects.count() == 0
    assert crowd.pairs() == {}


def test_queries_without_a_settled_best_answer_are_not_challenged(crowd):
    crowd.run("new", q4="x", q5="x", q99="x", q1="x")

    plan = plan_challenge(campaign=crowd.town.campaign, run_tags=["new"])

    assert [row.query.qid for row in plan.rows] == ["q1"]
    assert plan.not_covered == ("q4", "q5", "q99")


def test_the_best_answer_of_a_singleton_can_be_challenged(crowd):
    crowd.run("new", q3="x")
    challenge(campaign=crowd.town.campaign, run_tags=["new"], rule="single")

    crowd.answer("x")
    advance(crowd)

    assert best(crowd, "q3") == ["x"]
    assert QueryResult.objects.get(query__qid="q3").status == "closed"


def test_a_winning_newcomer_is_the_best_answer_of_the_next_version(crowd):
    services.publish_qrels(campaign=crowd.town.campaign)
    crowd.run("new", q1="x")
    opened = challenge(campaign=crowd.town.campaign, run_tags=["new"])
    crowd.answer("x")

    done = advance(crowd)
    version = services.publish_qrels(campaign=crowd.town.campaign).version

    assert done.finished == (1,)
    assert opened.challenge.version.number == 1
    _, content = services.export_qrels(collection=crowd.town.collection)
    assert content.decode().splitlines()[0] == "q1 0 x 1"
    assert services.rebuild_qrels(collection=crowd.town.collection, number=version.number).content == content
    assert b"q1 0 a 1" in services.rebuild_qrels(collection=crowd.town.collection, number=1).content


def test_while_a_challenge_asks_the_best_answers_stand(crowd):
    crowd.run("new", q1="x")
    challenge(campaign=crowd.town.campaign, run_tags=["new"])

    crowd.answer("x")  # submitted, but not processed yet

    assert best(crowd, "q1") == ["a"]
    advance(crowd)
    assert best(crowd, "q1") == ["x"]


def test_lead2_asks_again_when_the_first_two_disagree(crowd):
    crowd.run("new", q1="x")
    challenge(campaign=crowd.town.campaign, run_tags=["new"])
    crowd.asked.clear()
    crowd.town.judge("q1", "a", "x", "x", round=1)
    crowd.town.judge("q1", "a", "x", "a", round=1)

    assert advance(crowd).asked == 2
    crowd.answer("x")
    assert advance(crowd).finished == (1,)
    assert best(crowd, "q1") == ["x"]


def test_newcomers_who_beat_the_best_answer_then_meet_each_other(crowd):
    crowd.run("new", q1="x")
    crowd.run("newer", q1="y")
    challenge(campaign=crowd.town.campaign, run_tags=["new", "newer"], rule="single")
    crowd.answer("yxa")

    assert advance(crowd).asked == 1
    assert crowd.pairs() == {"x-y": 1}
    crowd.answer("yxa")
    advance(crowd)

    assert best(crowd, "q1") == ["y"]


def test_newcomers_with_the_same_text_are_one_challenger(crowd):
    crowd.town.passage("x", "same")
    crowd.town.passage("twin", "same")
    crowd.run("new", q1="x")
    crowd.run("newer", q1="twin")
    opened = challenge(campaign=crowd.town.campaign, run_tags=["new", "newer"], rule="single")
    assert crowd.pairs() == {"a-x": 1}
    crowd.answer("x")
    advance(crowd)

    services.publish_qrels(campaign=crowd.town.campaign)

    content = services.export_qrels(collection=crowd.town.collection)[1].decode().splitlines()
    assert content[:2] == ["q1 0 twin 1", "q1 0 x 1"]
    assert opened.challenge.queries.get().members == {
        str(crowd.town.passage("x").pk): [crowd.town.passage("twin").pk]
    }
    assert services.rebuild_qrels(collection=crowd.town.collection)


def test_a_newcomer_with_the_best_answers_text_joins_it_without_being_judged(crowd):
    a = crowd.town.passage("a")
    a.class_key = "same"
    a.save()
    crowd.town.passage("twin", "same")
    crowd.run("new", q1="twin")

    opened = challenge(campaign=crowd.town.campaign, run_tags=["new"])
    services.publish_qrels(campaign=crowd.town.campaign)

    assert crowd.pairs() == {}
    assert opened.challenge.state == "done"
    content = services.export_qrels(collection=crowd.town.collection)[1].decode().splitlines()
    assert content[:2] == ["q1 0 a 1", "q1 0 twin 1"]


def test_a_run_without_unseen_tops_asks_nothing(crowd):
    crowd.run("new", q1="b", q2="c")

    opened = challenge(campaign=crowd.town.campaign, run_tags=["new"])

    assert opened.challenge is None
    assert Challenge.objects.count() == 0


def test_a_second_challenge_meets_the_winner_of_the_first(crowd):
    crowd.run("new", q1="x")
    crowd.run("newer", q1="y", q2="x")
    challenge(campaign=crowd.town.campaign, run_tags=["new"])
    crowd.answer("x")
    advance(crowd)

    opened = challenge(campaign=crowd.town.campaign, run_tags=["newer", "new"])

    assert opened.challenge.number == 2
    assert crowd.pairs() == {"x-y": 2, "b-x": 2, "c-x": 2, "d-x": 2}


def test_advancing_twice_asks_once(crowd):
    crowd.run("new", q1="x", q2="x")
    challenge(campaign=crowd.town.campaign, run_tags=["new"])
    before = crowd.pairs()

    first, second = advance(crowd), advance(crowd)

    assert (first.asked, second.asked) == (0, 0)
    assert crowd.pairs() == before


def test_judgments_lost_to_an_exclusion_are_asked_again_even_when_done(crowd):
    careless = Worker.objects.create()
    crowd.run("new", q1="x")
    challenge(campaign=crowd.town.campaign, run_tags=["new"])
    crowd.answer("x", worker=careless)
    advance(crowd)

    crowd.town.exclude(careless)
    services.resolve(campaign=crowd.town.campaign)

    assert QueryResult.objects.get(query__qid="q1").status == "open"
    assert advance(crowd).asked == 2
    crowd.answer("a")
    advance(crowd)
    assert best(crowd, "q1") == ["a"]


def test_pairs_that_come_free_one_by_one_wait_for_company(crowd):
    for number in range(12):
        qid = f"r{number}"
        crowd.town.pooled(qid, "a")
    crowd.run("new", **{f"r{number}": "x" for number in range(12)})
    challenge(campaign=crowd.town.campaign, run_tags=["new"])
    assert crowd.tasks == 4  # twelve pairs twice, ten per task
    queries = list(crowd.asked)[:3]
    for number, query, a, b in queries:
        crowd.asked[number, query, a, b] = 0
        qid = crowd.town.collection.queries.get(pk=query).qid
        crowd.town.judge(qid, "a", "x", "x", round=1)
        crowd.town.judge(qid, "a", "x", "a", round=1)

    while_others_are_under_way = advance(crowd)

    assert (while_others_are_under_way.asked, while_others_are_under_way.waiting) == (0, 6)
    crowd.answer("x")
    assert advance(crowd).asked == 6


def test_a_query_of_an_earlier_version_is_challenged_in_a_later_campaign(crowd):
    services.publish_qrels(campaign=crowd.town.campaign)
    later = crowd.town.new_campaign("later")
    crowd.run("new", q1="x", q2="b")

    opened = challenge(campaign=later, run_tags=["new"], rule="single")
    assert crowd.pairs() == {"a-x": 1}
    crowd.answer("x", campaign=later)
    advance_challenges(campaign=later)
    services.publish_qrels(campaign=later)

    opened.challenge.refresh_from_db()
    assert opened.challenge.state == "done"
    rebuilt = services.rebuild_qrels(collection=crowd.town.collection, number=2)
    assert rebuilt.content.decode().splitlines() == [
        "q1 0 x 1", "q2 0 b 1", "q2 0 c 1", "q2 0 d 1", "q3 0 e 1",
    ]  # fmt: skip


def test_a_query_that_another_campaign_published_open_is_not_challenged(crowd):
    services.publish_qrels(campaign=crowd.town.campaign, allow_open=True)
    later = crowd.town.new_campaign("later")
    crowd.run("new", q1="x", q5="x")

    plan = plan_challenge(campaign=later, run_tags=["new"])

    assert [row.query.qid for row in plan.rows] == ["q1"]
    assert plan.not_covered == ("q5",)


def test_a_passage_that_joins_another_campaigns_best_answer_needs_no_judgments(crowd):
    a = crowd.town.passage("a")
    a.class_key = "same"
    a.save()
    crowd.town.passage("twin", "same")
    services.publish_qrels(campaign=crowd.town.campaign)
    later = crowd.town.new_campaign("later")
    crowd.run("new", q1="twin")

    opened = challenge(campaign=later, run_tags=["new"])
    services.resolve(campaign=later)
    services.preview_version(campaign=later)
    services.publish_qrels(campaign=later)

    assert opened.challenge.state == "done"
    reason = QueryResult.objects.get(campaign=later).reason
    assert reason == "a keeps its place from an earlier version: no new passage had to be compared."
    content = services.export_qrels(collection=crowd.town.collection)[1]
    assert content.decode().splitlines()[:2] == ["q1 0 a 1", "q1 0 twin 1"]
    assert services.rebuild_qrels(collection=crowd.town.collection, number=2).content == content
