"""How well gold pairs can be recognized by what a page shows."""

import numpy as np
import pytest

from judging.rules.gold_choice import Texts, Triple
from judging.rules.gold_detection import Detectability, auc, try_to_tell
from judging.rules.pair_features import question_features, read_passage

WORDS = [f"word{number}" for number in range(40)]


def texts_of(count: int, shared: float, *, first: int) -> dict[int, str]:
    """Return passages by key; a share of them has the question's word."""
    rng = np.random.default_rng(first)
    return {
        first + number: " ".join([*rng.choice(WORDS, 20), *(["river"] if rng.random() < shared else [])])
        for number in range(count)
    }


def told(shared_by_gold: float, *, gold: int = 40) -> Detectability | None:
    """Half of the real pairs' passages share the question's word, and the given share of the gold pairs'."""
    passages = texts_of(400, 0.5, first=1000) | texts_of(2 * gold, shared_by_gold, first=5000)
    texts = Texts(
        {1: question_features("how long is the river", {})},
        {key: read_passage(text) for key, text in passages.items()},
    )
    real = [(1, 1000 + number, 1200 + number) for number in range(200)]
    return try_to_tell(
        real, [Triple(1, 5000 + number, 5000 + gold + number) for number in range(gold)], texts
    )


def test_gold_without_the_questions_words_is_easily_recognized():
    found = told(0.0)

    assert found is not None
    assert found.auc > 0.7
    assert found.is_plain


def test_gold_drawn_like_real_pairs_is_not_recognized():
    found = told(0.5)

    assert found is not None
    assert 0.35 < found.auc < 0.65
    assert not found.is_plain


def test_few_gold_pairs_are_recognized_by_chance_more_easily_than_many():
    assert not Detectability(0.72, gold=10, real=200).is_plain
    assert Detectability(0.72, gold=80, real=200).is_plain
    assert Detectability(0.6, gold=30, real=200).standard_error == pytest.approx(0.058, abs=0.003)


def test_without_texts_nothing_is_said():
    assert try_to_tell([(1, 2, 3)] * 10, [Triple(1, 4, 5)] * 10, Texts({}, {})) is None
    assert told(0.5, gold=4) is None


def test_auc_counts_the_pairs_that_are_in_order_and_half_of_the_ties():
    assert auc(np.array([1.0, 2.0, 2.0, 3.0]), np.array([False, True, False, True])) == pytest.approx(3.5 / 4)
