"""Strategies that choose a side of a pair by its texts, without understanding them.

Strategies *by text* are those that a script would try first: by the question's words, or by length. Strategies *by
looks* choose the side with the higher or the lower value of one of the features in ``SURFACE`` and ``PLACEMENT``.
"""

import math
from collections.abc import Callable
from functools import partial

from judging.rules.gold_choice import Texts
from judging.rules.pair_features import (
    PLACEMENT,
    SURFACE,
    PassageText,
    QuestionText,
    placement,
    question_features,
    read_passage,
)

#: A function that takes the keys of a query and two passages, and returns the probability of choosing the first
#: passage: 1, 0, or ½ for a tie.
Chooser = Callable[[int, int, int], float]
Score = Callable[[QuestionText, PassageText], float]

_UNASKED, _UNREAD = question_features("", {}), read_passage("")


def choosers_by_text(texts: Texts) -> dict[str, Chooser]:
    """Map the names of the strategies by text to their choosers."""
    return {
        "overlap": _choose_most(texts, _shared_words),
        "rare words": _choose_most(texts, _shared_rarity),
        "similarity": _choose_most(texts, texts.likeness),
        "fewest question words": _choose_fewest(texts, _shared_words),
        "fewest rare words": _choose_fewest(texts, _shared_rarity),
        "least similar": _choose_fewest(texts, texts.likeness),
        "longer": _choose_most(texts, _passage_length),
        "shorter": _choose_fewest(texts, _passage_length),
    }


def choosers_by_looks(texts: Texts) -> dict[str, Chooser]:
    """Map the names of the strategies by looks to their choosers."""
    scores = {name: partial(_figure_at, at) for at, name in enumerate((*SURFACE, *PLACEMENT))}
    most = {f"most {name}": _choose_most(texts, score) for name, score in scores.items()}
    return most | {f"fewest {name}": _choose_fewest(texts, score) for name, score in scores.items()}


def higher(one: float, other: float) -> float:
    """Return 1 if the first value is higher, 0 if the second is, and ½ if they are nearly equal."""
    if math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12):
        return 0.5
    return 1.0 if one > other else 0.0


def _choose_most(texts: Texts, score: Score) -> Chooser:
    def chance(query: int, one: int, other: int) -> float:
        asked = texts.questions.get(query, _UNASKED)
        return higher(*(score(asked, texts.passages.get(passage, _UNREAD)) for passage in (one, other)))

    return chance


def _choose_fewest(texts: Texts, score: Score) -> Chooser:
    most = _choose_most(texts, score)
    return lambda query, one, other: 1.0 - most(query, one, other)


def _shared_words(asked: QuestionText, read: PassageText) -> float:
    return float(len(asked.words & read.words))


def _shared_rarity(asked: QuestionText, read: PassageText) -> float:
    return math.fsum(weight for word, weight in sorted(asked.weights.items()) if word in read.words)


def _passage_length(_: QuestionText, read: PassageText) -> float:
    return read.length


def _figure_at(at: int, asked: QuestionText, read: PassageText) -> float:
    return (*read.surface, *placement(asked, read))[at]
