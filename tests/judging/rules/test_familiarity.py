"""How familiar gold pairs become to a worker, compared with real pairs."""

import numpy as np

from judging.rules.familiarity import Familiarity, Shares, most_tasks

#: Question 1 has three passages in three pairs, question 2 one pair.
REAL = [(1, 10, 11), (1, 10, 12), (1, 11, 12), (2, 20, 21)]


def best(gold: list[tuple[int, int, int]], chosen: tuple[int, ...] = (), real=REAL) -> int:
    known = Familiarity(real, gold, Shares(0.5, 1.0))
    for number in chosen:
        known.count(number)
    away = known.away()
    away[list(chosen)] = np.inf
    return int(np.argmin(away))


def test_a_worker_does_a_third_of_a_small_campaign_and_at_least_one_task():
    assert most_tasks(214, 10) == 7
    assert most_tasks(12, 10) == 1
    assert most_tasks(12, 1) == 4


def test_gold_on_a_question_of_several_pairs_is_as_familiar_as_they_are():
    several = [(1, 10, 11), (1, 10, 12), (1, 11, 12)]

    assert best([(9, 90, 91), (1, 13, 14)], real=several) == 1


def test_gold_that_comes_up_too_often_is_not_chosen():
    gold = [(9, 90, 91), (9, 90, 92), (9, 90, 93), (9, 90, 94), (8, 80, 81)]

    assert best(gold, chosen=(0, 1, 2)) == 4


def test_neither_side_is_to_be_better_known():
    relevant_known, off_topic_known = (1, 10, 13), (1, 14, 11)
    gold = [(1, 12, 15), relevant_known, off_topic_known]

    assert best(gold, chosen=(0,)) == 2


def test_a_gold_pair_that_is_taken_back_leaves_no_trace():
    gold = [(1, 12, 15), (1, 10, 13), (2, 20, 22)]
    known = Familiarity(REAL, gold, Shares(0.5, 1.0))
    known.count(0)
    before = known.away()

    known.count(2)
    known.count(1)
    known.count(1, times=-1)
    known.count(2, times=-1)

    assert np.allclose(known.away(), before)


def test_without_real_pairs_every_gold_pair_does():
    assert Familiarity([], [(1, 2, 3), (4, 5, 6)], Shares()).away().tolist() == [0, 0]
