"""Strategies that do not read: what they choose, and how often they pass tasks."""

import itertools

import numpy as np
import pytest

from judging.rules.gold_draw import Shown
from judging.rules.strategies import (
    Known,
    Outcome,
    Outcomes,
    Setting,
    all_right,
    try_strategies,
)
from judging.rules.text_strategies import choosers_by_looks, choosers_by_text

QUESTION = 1
PASSAGES = {
    10: "Rivers carry cold water from the mountains to the sea.",
    11: "Bread needs flour, salt and an oven that is hot enough for an hour or so.",
    12: "Cold mountains.",
}


def setting(**changes) -> Setting:
    values = {
        "gold": [Known(QUESTION, 10, 11), Known(QUESTION, 12, 11)],
        "labeled": [],
        "tasks": [],
        "questions": {QUESTION: "how cold are mountains?"},
        "passages": PASSAGES,
        "gold_per_task": 1,
        "most_tasks": 2,
    }
    return Setting(**(values | changes))


def row(outcomes: Outcomes, name: str) -> Outcome:
    return next(one for one in outcomes.rows if one.name == name)


@pytest.mark.parametrize("drawn", [1, 2, 3, 4])
def test_chance_that_all_draws_are_right_is_that_of_every_possible_draw(drawn):
    chances = [1.0, 1.0, 0.5, 0.0, 0.5]
    draws = list(itertools.combinations(chances, drawn))

    expected = sum(float(np.prod(one)) for one in draws) / len(draws)

    assert all_right(chances, drawn) == pytest.approx(expected)
    assert all_right(chances[::-1], drawn) == pytest.approx(expected)


def test_more_draws_than_there_are_cannot_be_passed():
    assert all_right([1.0], 2) == 0


def test_choosers_prefer_the_side_they_say_and_leave_ties_to_chance():
    choose = choosers_by_text(setting().texts)

    assert choose["overlap"](QUESTION, 10, 11) == 1
    assert choose["overlap"](QUESTION, 11, 10) == 0
    assert choose["overlap"](QUESTION, 10, 12) == 0.5  # both have both words
    assert choose["similarity"](QUESTION, 12, 10) == 1  # the shorter one is nearer
    assert choose["longer"](QUESTION, 11, 12) == choose["shorter"](QUESTION, 12, 11) == 1


@pytest.mark.parametrize(
    ("name", "opposite"),
    [
        ("overlap", "fewest question words"),
        ("rare words", "fewest rare words"),
        ("similarity", "least similar"),
    ],
)
def test_every_strategy_by_words_has_its_opposite(name, opposite):
    choose = choosers_by_text(setting().texts)

    for one, other in itertools.permutations(PASSAGES, 2):
        assert choose[name](QUESTION, one, other) == choose[opposite](QUESTION, other, one)


def test_looks_are_the_most_or_the_fewest_of_a_figure():
    choose = choosers_by_looks(setting().texts)

    assert choose["most words a sentence"](QUESTION, 11, 12) == 1
    assert choose["fewest words a sentence"](QUESTION, 11, 12) == 0
    assert choose["most punctuation"](QUESTION, 11, 12) == 1  # a comma
    assert choose["most digits"](QUESTION, 10, 11) == choose["fewest digits"](QUESTION, 10, 11) == 0.5
    assert choose["most early question words"](QUESTION, 12, 10) == 1  # "cold" before "rivers carry"
    assert choose["most early question words"](QUESTION, 10, 11) == 1  # one has none


@pytest.mark.parametrize(("right", "is_told"), [(7, False), (15, True)])
def test_a_strategy_by_looks_is_told_only_if_chance_does_not_explain_it(right, is_told):
    """Of 20 gold pairs, ``right`` have more digits on the better side; of the others, half have."""
    gold, passages = [], {}
    for number in range(20):
        better, worse = 100 + number, 200 + number
        digits = number < right or number % 2
        passages |= {better: "It took 9 days." if digits else "It took nine days.", worse: "It took days."}
        if not digits:
            passages[worse] = "It took 9 days."
        gold.append(Known(QUESTION, better, worse))

    names = {one.name for one in try_strategies(setting(gold=gold, passages=passages)).rows}

    assert ("most digits" in names) is is_told


def test_gold_that_shares_no_word_is_passed_by_overlap_and_half_of_it_by_length():
    outcomes = try_strategies(setting())

    assert outcomes.tasks == (1, 2)
    assert row(outcomes, "overlap").passes == (1, 1)
    assert row(outcomes, "longer").right == 0
    assert row(outcomes, "shorter").passes == (1, 1)
    assert row(outcomes, "random").passes == (0.5, 0.25)


def test_agreement_counts_real_pairs_with_labels_that_differ():
    outcomes = try_strategies(setting(labeled=[Known(QUESTION, 11, 10), Known(QUESTION, 10, 12)]))

    assert row(outcomes, "overlap").agrees == 0.25  # wrong, and a tie
    assert row(outcomes, "random").agrees == 0.5
    assert row(outcomes, "overlap") in outcomes.over_the_bar()


def test_nothing_to_agree_with_is_no_agreement():
    assert row(try_strategies(setting()), "overlap").agrees is None


def test_sides_are_drawn_as_tasks_draw_them():
    two_gold = setting(gold_per_task=2, most_tasks=1, tasks=[[Shown(2, 20, 21)]])

    left = row(try_strategies(two_gold), "left")

    assert left.passes == (0,)  # of two gold pairs in a task one has its better passage on the right


def test_relevant_passages_that_are_judged_elsewhere_are_told_by_memory():
    """Each of two tasks has a gold pair with the other's question, one of that task's passages and a new one."""
    gold = [Known(60, 61, 62), Known(70, 71, 72)]
    tasks = [[Shown(60, 61, 63)], [Shown(70, 71, 73)]]

    outcomes = try_strategies(setting(gold=gold, tasks=tasks))

    assert outcomes.tasks == (1, 2)
    assert row(outcomes, "seen before").passes == (1, 0.5)  # only the first task is left to chance
    assert row(outcomes, "not seen before").passes == (0, 0)


def test_tasks_that_no_gold_fits_are_not_passed():
    gold = [Known(60, 61, 62)]

    outcomes = try_strategies(setting(gold=gold, tasks=[[Shown(60, 61, 63)]]))

    assert row(outcomes, "seen before").passes == (0,)


def test_fewest_tasks_are_those_of_the_least_lucky_worker():
    gold = [Known(key, 10 * key, 10 * key + 1) for key in (1, 2, 3)]
    tasks = [[Shown(100 + number, 1000 + number, 2000 + number)] for number in range(5)]

    def fewest(**changes) -> tuple[int, int]:
        outcomes = try_strategies(setting(**{"gold": gold, "tasks": tasks, "most_tasks": 20} | changes))
        return outcomes.fewest, outcomes.wanted

    assert fewest() == (3, 5)
    assert fewest(most_tasks=2) == (2, 2)
    assert fewest(gold_per_task=4) == (0, 5)
    assert fewest(tasks=[[Shown(1, 10, 12)]]) == (1, 1)


def test_the_same_seed_gives_the_same_figures():
    gold = [Known(key % 3, 100 + key % 5, 200 + key % 4) for key in range(12)]
    tasks = [[Shown(key, 100 + key, 200 + key)] for key in range(4)]
    one = setting(gold=gold, tasks=tasks, most_tasks=5)

    assert try_strategies(one, seed=7) == try_strategies(one, seed=7)


def test_a_campaign_without_gold_has_no_rates():
    assert try_strategies(setting(gold=[])).tasks == ()
