"""Topics of a graded campaign: taken, judged, decided, reversed."""

import pytest

from judging.errors import BadInput, CampaignRefused
from judging.grading.assignments import (
    end_assignment,
    take_second_opinion,
    take_topic,
    topic_named,
)
from judging.grading.decisions import decide_by_hand, reverse_decision, standing_decision
from judging.grading.graded_campaigns import (
    GradingSettings,
    create_graded_campaign,
    delete_graded_campaign,
    end_campaign,
    reopen_campaign,
)
from judging.grading.graded_labels import grades_of, publish_labels
from judging.grading.grades import (
    awaits_passages,
    carry_out_decision,
    choose_next,
    give_grade,
    undo_grade,
)
from judging.grading.next_passages import proposed_passages
from judging.grading.topic_states import states_of
from judging.models import Grade, GradedCampaign, GradedItem, TopicAssignment
from pooling.models import Passage
from pooling.pools.pools import Choice, build_pool
from tests.judging.grading.conftest import RULES, grade_all, next_item

TWO = {"p1": 3, "p5": 2}


def standing(topic):
    decision = standing_decision(topic)
    return decision and decision.verdict


def test_the_opening_has_the_passages_of_the_smallest_ranks(make_campaign, people):
    taken = take_topic(topic_named(make_campaign(), "q1"), people[0])

    shown = taken.items.order_by("position").values_list("passage__pid", "rank", "batch")
    assert list(shown) == [("p1", 1, 0), ("p4", 1, 0), ("p2", 2, 0), ("p3", 3, 0)]


def test_a_topic_goes_from_the_opening_to_the_pool_and_is_accepted(make_campaign, people):
    topic = topic_named(make_campaign(), "q1")
    taken = take_topic(topic, people[0])

    seen = grade_all(taken, TWO)

    assert seen == ["p1", "p4", "p2", "p3", "p6", "p5"]
    assert standing(topic) == "accepted"


def test_half_of_the_opening_relevant_discards_the_topic(make_campaign, people):
    topic = topic_named(make_campaign(), "q1")

    assert grade_all(take_topic(topic, people[0]), {"p1": 3, "p2": 2}) == ["p1", "p4", "p2", "p3"]

    decision = standing_decision(topic)
    assert (decision.verdict, decision.judged, decision.relevant) == ("discarded", 4, 2)
    assert decision.reason == "2 of the first 4 passages are relevant."


def test_a_grade_below_the_least_relevant_one_is_not_relevant(make_campaign, people):
    topic = topic_named(make_campaign(), "q1")

    grade_all(take_topic(topic, people[0]), {"p1": 1, "p2": 1})

    assert standing_decision(topic).reason == "None of the first 4 passages is relevant."


def test_active_learning_goes_on_until_a_rule_stops_it(make_campaign, people):
    topic = topic_named(make_campaign(rules=RULES | {"accept_judged": 10, "reject_judged": 10}), "q1")
    taken = take_topic(topic, people[0])
    grade_all(taken, {"p1": 3, "p5": 3})
    assert standing(topic) is None
    assert awaits_passages(taken)

    assert choose_next(taken) == 2
    assert choose_next(taken) == 0  # a job that runs twice
    grade_all(taken, {})
    assert choose_next(taken) == 2
    grade_all(taken, {})

    assert standing(topic) == "accepted"
    batches = taken.items.order_by("position").values_list("batch", "source")
    assert list(batches)[6:] == [(2, "cal"), (2, "cal"), (3, "cal"), (3, "cal")]
    stages = ["first of the pool"] * 4 + ["rest of the pool"] * 2 + ["iteration 1"] * 2 + ["iteration 2"] * 2
    assert [row["stage"] for row in grades_of(topic.campaign)] == stages
    assert next(one.stage for one in states_of(topic.campaign)) == stages[-1]


def test_a_dense_topic_is_rejected_after_more_than_its_limit(make_campaign, people):
    topic = topic_named(make_campaign(), "q1")
    taken = take_topic(topic, people[0])
    grade_all(taken, {"p1": 3, "p5": 3, "p6": 3})
    every = {f"p{number}": 3 for number in range(7, 21)}
    choose_next(taken)
    grade_all(taken, every)
    assert standing(topic) is None  # 8 judged
    choose_next(taken)
    grade_all(taken, every)

    assert standing(topic) == "rejected"
    assert standing_decision(topic).judged == 10


def test_a_topic_with_nothing_left_is_decided_as_at_the_end(make_campaign, people):
    topic = topic_named(make_campaign(rules=RULES | {"accept_judged": 150, "reject_judged": 150}), "q1")
    taken = take_topic(topic, people[0])
    grade_all(taken, {"p1": 3})
    while choose_next(taken):
        grade_all(taken, {})

    decision = standing_decision(topic)
    assert (decision.verdict, decision.judged) == ("rejected", 20)
    assert "Fewer than 150 are judged." in decision.reason

    reverse_decision(decision, why="look again", who="staff")
    with pytest.raises(CampaignRefused, match="Nothing is left to judge"):
        choose_next(taken)


def test_a_reversed_decision_lets_the_topic_go_on(make_campaign, people):
    topic = topic_named(make_campaign(), "q1")
    taken = take_topic(topic, people[0])
    grade_all(taken, {"p1": 3, "p2": 2})
    decision = standing_decision(topic)

    carry_out_decision(topic, "reversed", why="narrow after all", who="staff")
    assert grade_all(taken, {}) == ["p6", "p5"]

    assert standing(topic) == "accepted"
    decision.refresh_from_db()
    assert (decision.reversed_by, decision.reversed_why) == ("staff", "narrow after all")
    with pytest.raises(CampaignRefused, match="already reversed"):
        reverse_decision(decision, why="twice", who="staff")


def test_one_assessor_has_a_topic(make_campaign, people):
    topic = topic_named(make_campaign(), "q1")
    taken = take_topic(topic, people[0])

    assert take_topic(topic, people[0]) == taken
    with pytest.raises(CampaignRefused, match="Topic q1 is already taken"):
        take_topic(topic, people[1])


def test_another_assessor_starts_a_declined_topic_over(make_campaign, people):
    topic = topic_named(make_campaign(), "q1")
    taken = take_topic(topic, people[0])
    grade_all(taken, TWO, limit=3)
    with pytest.raises(BadInput, match="reason"):
        end_assignment(taken, why=" ", who="ada")

    end_assignment(taken, why="I know nothing of fish", who="ada")
    with pytest.raises(CampaignRefused, match="no longer yours"):
        give_grade(next_item(taken), 0)

    again = take_topic(topic, people[1])
    assert (again.items.count(), again.items.filter(grade=None).count()) == (4, 4)
    assert Grade.objects.filter(item__assignment=taken).count() == 3
    rows = list(grades_of(topic.campaign))
    assert {(row["counts"], row["standing"], row["assessor"]) for row in rows} == {(False, "current", "ada")}
    assert taken.who == "ada"
    taken.refresh_from_db()
    assert taken.ending == "declined by ada: I know nothing of fish"


def test_a_grade_is_changed_and_taken_back_by_later_facts(make_campaign, people):
    taken = take_topic(topic_named(make_campaign(), "q1"), people[0])
    first = next_item(taken)
    give_grade(first, 3)
    give_grade(next_item(taken), 1)
    give_grade(first, 0)

    assert undo_grade(taken) == first
    assert next_item(taken) == first
    assert list(Grade.objects.order_by("pk").values_list("grade", flat=True)) == [3, 1, 0, None]
    rows = [(row["grade"], row["standing"], row["assessor"]) for row in grades_of(taken.topic.campaign)]
    assert rows == [(3, "replaced", "ada"), (0, "undone", "ada"), (1, "current", "ada")]
    assert undo_grade(taken).position == 1
    with pytest.raises(CampaignRefused, match="no grade to undo"):
        undo_grade(taken)
    with pytest.raises(BadInput, match="no grade 4"):
        give_grade(first, 4)


def test_staff_eliminate_a_topic_before_it_is_judged(make_campaign, people):
    campaign = make_campaign()
    topic = topic_named(campaign, "q1")
    with pytest.raises(BadInput, match="reason"):
        decide_by_hand(topic, "eliminated", why="", who="staff")
    decision = decide_by_hand(topic, "eliminated", why="too broad", who="staff")
    with pytest.raises(CampaignRefused, match="q1 is eliminated"):
        take_topic(topic, people[0])
    with pytest.raises(CampaignRefused, match="Reverse that decision first"):
        decide_by_hand(topic, "accepted", why="no", who="staff")

    reverse_decision(decision, why="it is not", who="staff")
    taken = take_topic(topic, people[0])
    with pytest.raises(CampaignRefused, match=r"Topic q1 is taken, .* Take it away first"):
        decide_by_hand(topic, "eliminated", why="late", who="staff")
    with pytest.raises(
        CampaignRefused, match=r"No passage of topic q1 has been judged yet. Take it away and eliminate"
    ):
        decide_by_hand(topic, "accepted", why="early", who="staff")
    give_grade(next_item(taken), 3)
    with pytest.raises(CampaignRefused, match="Discard or reject it instead"):
        decide_by_hand(topic, "eliminated", why="late", who="staff")
    assert decide_by_hand(topic, "rejected", why="unclear", who="staff").decided_by == "staff"


def test_the_budget_ends_the_campaign_and_decides_what_was_begun(make_campaign, people):
    campaign = make_campaign(budget=5)
    topic, other = topic_named(campaign, "q1"), topic_named(campaign, "q2")
    taken = take_topic(topic, people[0])

    grade_all(taken, {"p1": 3}, limit=5)

    campaign = GradedCampaign.objects.get()
    assert campaign.ended_why == "The budget of 5 judged passages is used up."
    assert (standing(topic), standing(other)) == ("rejected", None)
    with pytest.raises(CampaignRefused, match="ended"):
        give_grade(next_item(taken), 0)
    with pytest.raises(CampaignRefused, match="ended"):
        take_topic(topic_named(campaign, "q2"), people[1])
    with pytest.raises(BadInput, match="used up"):
        reopen_campaign(campaign, why="more money", who="staff")

    reopen_campaign(campaign, why="more money", budget=50, who="staff")
    assert standing(topic) is None
    assert grade_all(taken, {"p5": 3}) == ["p5"]
    assert standing(topic) == "accepted"
    assert end_campaign(campaign, why="done", who="staff")
    assert not end_campaign(campaign, why="done", who="staff")
    assert standing(topic) == "accepted"


def test_labels_of_accepted_topics_become_a_qrel_set(make_campaign, people):
    campaign = make_campaign()
    with pytest.raises(CampaignRefused, match="No topic has been accepted"):
        publish_labels(campaign, set_name="graded")
    grade_all(take_topic(topic_named(campaign, "q1"), people[0]), {"p1": 3, "p5": 2})
    grade_all(take_topic(topic_named(campaign, "q2"), people[0]), {})

    made = publish_labels(campaign, set_name="graded", who="staff")

    labels = made.qrel_set.qrels.order_by("position").values_list("query__qid", "passage__pid", "grade")
    assert list(labels) == [
        *[("q1", "p1", 3), ("q1", "p4", 0), ("q1", "p2", 0)],
        *[("q1", "p3", 0), ("q1", "p6", 0), ("q1", "p5", 2)],
    ]
    assert (made.qrel_set.kind, made.qrel_set.min_grade) == ("graded", 2)
    assert [(one["qid"], one["judged"], one["relevant"]) for one in made.topics] == [("q1", 6, 2)]


def test_a_second_opinion_goes_over_a_sample_and_decides_nothing(make_campaign, people):
    topic = topic_named(make_campaign(), "q1")
    with pytest.raises(CampaignRefused, match="not finished"):
        take_second_opinion(topic, people[1])
    grade_all(take_topic(topic, people[0]), {"p1": 3, "p5": 2})
    with pytest.raises(CampaignRefused, match="yourself"):
        take_second_opinion(topic, people[0])

    end_campaign(topic.campaign, why="done", who="staff")
    second = take_second_opinion(topic, people[1])
    seen = grade_all(second, {"p1": 1})

    assert sorted(seen) == ["p1", "p2", "p3", "p4", "p5", "p6"]
    assert not awaits_passages(second)
    assert topic.decisions.count() == 1
    assert [row["counts"] for row in grades_of(topic.campaign)].count(True) == 6


def test_whoever_judged_a_topic_before_gives_no_second_opinion_on_it(make_campaign, people):
    topic = topic_named(make_campaign(), "q1")
    grade_all(declined := take_topic(topic, people[0]), TWO, limit=3)
    end_assignment(declined, why="too hard", who="ada")
    grade_all(take_topic(topic, people[1]), TWO)

    with pytest.raises(CampaignRefused, match="You judged topic q1 yourself"):
        take_second_opinion(topic, people[0])
    (state, _) = states_of(topic.campaign)
    assert all(state.was_taken_by(one) for one in people)


def test_a_topic_without_a_judged_passage_gets_no_second_opinion(make_campaign, people):
    topic = topic_named(make_campaign(), "q1")
    take_topic(topic, people[0])
    end_campaign(topic.campaign, why="done", who="staff")
    assert standing(topic) == "rejected"

    with pytest.raises(CampaignRefused, match="No passage of topic q1 has been judged"):
        take_second_opinion(topic, people[1])
    assert not topic.assignments.filter(second=True).exists()


def test_a_second_opinion_never_becomes_the_assessors_own_topic(make_campaign, people):
    topic = topic_named(make_campaign(), "q1")
    grade_all(take_topic(topic, people[0]), TWO)
    second = take_second_opinion(topic, people[1])
    carry_out_decision(topic, "reversed", why="check", who="staff")
    carry_out_decision(topic, "taken away", why="check", who="staff")

    with pytest.raises(CampaignRefused, match="You gave the second opinion on topic q1"):
        take_topic(topic, people[1])

    end_assignment(second, why="I take the topic", who="ben")
    assert take_topic(topic, people[1]).assessor == people[1]


def test_a_campaign_over_a_fraction_stays_within_it(reef, people):
    choice = Choice(qids=["q1"], fraction=2, fraction_seed=2)
    pool = build_pool(
        collection=reef, name="half", runs=list(reef.runs.order_by("run_tag")), depth=2, choice=choice
    )
    rules = RULES | {"discard_share": 1, "accept_judged": 150, "reject_judged": 150}
    settings = GradingSettings(rules=rules, min_grade=1)
    topic = topic_named(create_graded_campaign(pool=pool, name="half", settings=settings), "q1")
    taken = take_topic(topic, people[0])
    while not standing(topic):
        grade_all(taken, {"p1": 1})
        choose_next(taken)

    seen = set(taken.items.values_list("passage__pid", flat=True))
    held = {f"p{number}" for number in range(1, 21) if choice.corpus.holds(f"p{number}")}
    assert seen == held
    assert 0 < len(held) < 20
    rows = list(grades_of(topic.campaign))
    assert {row["source"] for row in rows} == {"pool", "cal"}
    assert {(row["fraction"], row["fraction_seed"]) for row in rows} == {(2, 2)}


def test_a_topic_that_was_deleted_meanwhile_is_not_taken(make_campaign, people):
    campaign = make_campaign()
    loaded = topic_named(campaign, "q1")
    delete_graded_campaign(GradedCampaign.objects.get())

    with pytest.raises(CampaignRefused, match="Graded campaign graded was deleted"):
        take_topic(loaded, people[0])
    with pytest.raises(CampaignRefused, match="Graded campaign graded was deleted"):
        decide_by_hand(loaded, "eliminated", why="too broad", who="staff")


def test_a_reopened_topic_with_nothing_left_is_decided_again(make_campaign, people):
    campaign = make_campaign(rules=RULES | {"accept_judged": 150, "reject_judged": 150})
    topic = topic_named(campaign, "q1")
    taken = take_topic(topic, people[0])
    grade_all(taken, {"p1": 3})
    while len(taken.items.all()) < 20:
        choose_next(taken)
        grade_all(taken, {})
    end_campaign(campaign, why="summer", who="staff")
    reopen_campaign(campaign, why="autumn", who="staff")
    assert standing(topic) is None

    assert choose_next(TopicAssignment.objects.get(pk=taken.pk)) == 0
    assert standing(topic) == "rejected"
    assert not topic.decisions.get(reversed_at=None).at_end


def test_a_campaign_can_learn_from_the_grades_of_other_campaigns(make_campaign, reef, people):
    first = make_campaign()
    grade_all(take_topic(topic_named(first, "q1"), people[0]), {"p1": 3, "p5": 2})
    second = create_graded_campaign(
        pool=first.pool, name="second", settings=GradingSettings(rules={"opening": 2}, learn_from_all=True)
    )
    mine = take_topic(topic_named(second, "q1"), people[1])
    seen = set(grade_all(mine, {"p1": 3}, limit=2))
    known = {one.passage.pid for one in GradedItem.objects.filter(assignment__topic__campaign=first)}

    proposed = Passage.objects.in_bulk(proposed_passages(mine))

    assert known - seen  # what only the first campaign judged
    assert {one.pid for one in proposed.values()}.isdisjoint(known | seen)
    GradedCampaign.objects.filter(pk=second.pk).update(learn_from_all=False)
    mine = TopicAssignment.objects.get(pk=mine.pk)
    alone = Passage.objects.in_bulk(proposed_passages(mine))
    assert {one.pid for one in alone.values()} & (known - seen)
