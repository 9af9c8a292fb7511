from collections import Counter
from itertools import combinations

from judging.campaign.pairs import class_representatives, judgments_in_flight, pairs_of, request_pairs
from judging.intake.collection import collect
from judging.models import Judgment, Pair, Task, TaskPair
from judging.rules.packing import PairRequest
from pooling.models import PooledPassage


def requests(campaign):
    rows = campaign.pairs.order_by("pk").values_list("query", "passage_a", "passage_b")
    return [PairRequest(*row) for row in rows]


def test_every_two_passages_of_a_query_are_a_pair_ordered_by_key(fair):
    campaign = fair.draft()

    by_query = {
        query: sorted(PooledPassage.objects.filter(query=query).values_list("passage", flat=True))
        for query in set(PooledPassage.objects.values_list("query", flat=True))
    }
    expected = {(query, a, b) for query, keys in by_query.items() for a, b in combinations(keys, 2)}
    assert set(requests(campaign)) == expected
    assert len(expected) == 12


def test_passages_of_the_same_text_are_judged_as_one(fair):
    query = fair.query("same")
    for pid, key in [("x", "k1"), ("y", "k1"), ("z", "k2"), ("blank-1", ""), ("blank-2", "")]:
        PooledPassage.objects.create(
            pool=fair.pool,
            query=query,
            passage=fair.passage(pid, class_key=key, text=None if "b" in pid else pid),
        )

    found = class_representatives(fair.pool)[query.pk]

    pids = {PooledPassage.objects.get(passage=key, query=query).passage.pid for key in found}
    assert pids == {"x", "z", "blank-1", "blank-2"}
    assert sum(pair.query_id == query.pk for pair in pairs_of(fair.pool)) == 6


def test_query_with_one_class_needs_no_judgment(fair):
    query = fair.query("alone")
    PooledPassage.objects.create(pool=fair.pool, query=query, passage=fair.passage("only"))

    assert not [pair for pair in pairs_of(fair.pool) if pair.query_id == query.pk]


def test_each_layer_holds_every_pair_once_and_tasks_are_numbered_through(fair):
    campaign = fair.draft(judgments_per_pair=3, pairs_per_task=5)

    assert list(Task.objects.order_by("number").values_list("number", flat=True)) == list(range(1, 10))
    assert set(Counter(TaskPair.objects.values_list("pair", flat=True)).values()) == {3}
    assert Counter(TaskPair.objects.values_list("task", flat=True)).most_common(1)[0][1] == 4
    assert campaign.pairs.count() == 12


def test_packing_follows_from_the_seed(fair):
    def layout(name, seed):
        fair.name = name
        tasks = Task.objects.filter(campaign=fair.draft(seed=seed)).order_by("number")
        return [set(task.task_pairs.values_list("pair__passage_a", "pair__passage_b")) for task in tasks]

    assert layout("one", 5) == layout("two", 5)
    assert layout("three", 6) != layout("four", 5)


def test_requests_add_to_what_is_there_and_keep_the_round_of_known_pairs(fair):
    campaign = fair.draft()
    known = requests(campaign)[0]
    query = fair.query("new")
    a, b = fair.passage("new-a"), fair.passage("new-b")

    made = request_pairs(campaign, [known, PairRequest(query.pk, a.pk, b.pk)], judgments=2, round=1)

    assert made == 2
    assert Pair.objects.get(query=query).round == 1
    assert Pair.objects.filter(passage_a=known.passage_a_id, passage_b=known.passage_b_id).get().round == 0
    assert list(Task.objects.filter(round=1).values_list("number", flat=True)) == [5, 6]


def test_nothing_asked_makes_no_task(fair):
    campaign = fair.draft()

    assert request_pairs(campaign, [], judgments=1, round=1) == 0
    assert request_pairs(campaign, requests(campaign), judgments=0, round=1) == 0
    assert Task.objects.count() == 4


def test_judgments_are_in_flight_until_they_are_collected(fair):
    campaign = fair.opened()
    pairs = requests(campaign)
    assert set(judgments_in_flight(campaign, pairs).values()) == {1}

    submission = fair.do_task(campaign, "A1")
    assert sum(judgments_in_flight(campaign, pairs).values()) == 12
    collect(campaign, sweep=True)

    flight = judgments_in_flight(campaign, pairs)
    judged = set(Judgment.objects.filter(submission=submission).values_list("pair", flat=True))
    done = {
        PairRequest(*row)
        for row in Pair.objects.filter(pk__in=judged).values_list("query", "passage_a", "passage_b")
    }
    assert {pair for pair, count in flight.items() if not count} == done


def test_twenty_thousand_pairs_are_packed_in_seconds(fair, django_assert_max_num_queries):
    """The number of queries does not grow with the number of pairs."""
    query = fair.query("large")
    keys = sorted(fair.passage(f"large-{number}").pk for number in range(60))
    campaign = fair.draft()
    pairs = [PairRequest(query.pk, a, b) for a, b in combinations(keys, 2)]

    with django_assert_max_num_queries(40):
        assert request_pairs(campaign, pairs, judgments=1, round=1) == 590
