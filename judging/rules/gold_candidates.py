"""Candidates for gold pairs: off-topic passages for a question, from its labels and from unlabeled texts."""

import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from judging.rules.gold_choice import Triple
from judging.rules.pair_features import QuestionText

#: Relevance labels: a map of query keys to maps of passage keys to grades.
Grades = Mapping[int, Mapping[int, int]]
#: The maximum number of relevant passages, and of off-topic passages, to try for a question.
MOST_A_SIDE = 12
#: The number of grades by which an off-topic passage must be below the relevant one, if the scale has as many.
CLEAR_GAP = 2
#: The numbers of nearest and of random passages to try for a question.
NEAREST, ANY = 10, 3


def plainly_worse(bad: int, good: int, *, least: int, top: int) -> bool:
    """Return whether the grade ``bad`` is not relevant and clearly below the grade ``good``.

    It must be at least :data:`CLEAR_GAP` below, or ``top`` if that is less. ``least`` is the lowest relevant grade,
    and ``top`` the highest grade.
    """
    return bad < least and good - bad >= min(CLEAR_GAP, top)


def relevant_by_query(grades: Grades, least: int) -> dict[int, list[int]]:
    """Map each query to up to :data:`MOST_A_SIDE` passages labeled ``least`` or higher, best grades first.

    Queries without such passages are left out.
    """
    found = {}
    for query, of_query in grades.items():
        relevant = [passage for passage, grade in of_query.items() if grade >= least]
        if relevant:
            found[query] = sorted(relevant, key=lambda passage: (-of_query[passage], passage))[:MOST_A_SIDE]
    return found


def pair_with_labeled(grades: Grades, relevant: Mapping[int, Sequence[int]], least: int) -> Iterator[Triple]:
    """Yield pairs of a relevant passage and one labeled clearly worse for the same question, lowest labels first.

    A passage labeled ``least`` or higher is never used as off-topic, however much better another passage is, because
    it may well answer the question.
    """
    top = max((grade for of_query in grades.values() for grade in of_query.values()), default=0)
    for query, good_ones in relevant.items():
        of_query = grades[query]
        below = sorted(
            (passage for passage in of_query if of_query[passage] < least), key=of_query.__getitem__
        )
        for bad in below[:MOST_A_SIDE]:
            for good in good_ones:
                if plainly_worse(of_query[bad], of_query[good], least=least, top=top):
                    why = f"labeled {of_query[bad]} for this question (the relevant one: {of_query[good]})"
                    yield Triple(query, good, bad, why)


def pair_with_unlabeled(
    relevant: Mapping[int, Sequence[int]], others: Mapping[int, Iterable[int]], why: str
) -> Iterator[Triple]:
    """Yield each pair of a relevant passage and one of the question's ``others``, which are unlabeled for it.

    ``why`` is the source of the unlabeled passages.
    """
    for query, found in others.items():
        for bad in found:
            for good in relevant.get(query, ()):
                if good != bad:
                    yield Triple(query, good, bad, why)


def nearest_passages(
    questions: Mapping[int, QuestionText],
    passages: Iterable[tuple[int, frozenset[str]]],
    rng: np.random.Generator,
) -> dict[int, list[int]]:
    """Map each question to the :data:`NEAREST` passages of other questions and to a few random passages.

    The nearest passages have the largest shares of the question's words, weighted by rarity. A passage belongs to the
    question that it matches best. A passage with all words of a question might answer it, so it is not among the
    nearest. Passages are read once, and only the nearest of each question are kept.
    """
    asking: dict[str, list[int]] = defaultdict(list)
    for key, question in questions.items():
        for word in question.words:
            asking[word].append(key)
    total = {key: sum(question.weights.values()) for key, question in questions.items()}
    best: dict[int, list[tuple[float, int]]] = {key: [] for key in questions}
    some: list[int] = []
    for number, (passage, words) in enumerate(passages):
        shares = _covered_shares(words, asking, questions, total)
        own = max(shares, key=lambda key: (shares[key], key), default=None)
        for key, share in shares.items():
            if key != own and share < 1 and not questions[key].words <= words:
                _keep_nearest(best[key], (share, passage))
        _keep_sample(some, passage, number, rng)
    found = {}
    for key in questions:
        drawn = [some[index] for index in rng.permutation(len(some))[:ANY].tolist()]
        found[key] = list(
            dict.fromkeys([*(passage for _, passage in sorted(best[key], reverse=True)), *drawn])
        )
    return found


def _covered_shares(
    words: frozenset[str],
    asking: Mapping[str, Sequence[int]],
    questions: Mapping[int, QuestionText],
    total: Mapping[int, float],
) -> dict[int, float]:
    """Map each question that shares some of these words to the share of its word weight that they carry.

    ``total`` maps each question to the weight of all its words.
    """
    shares: dict[int, float] = defaultdict(float)
    for word in sorted(words & asking.keys()):
        for key in asking[word]:
            shares[key] += questions[key].weights[word] / total[key] if total[key] else 0.0
    return shares


def _keep_nearest(heap: list[tuple[float, int]], one: tuple[float, int]) -> None:
    if len(heap) < NEAREST:
        heapq.heappush(heap, one)
    else:
        heapq.heappushpop(heap, one)


def _keep_sample(
    some: list[int], passage: int, number: int, rng: np.random.Generator, most: int = 200
) -> None:
    """Add a passage to ``some``, a uniform random sample of those seen; ``number`` passages were seen before it."""
    if len(some) < most:
        some.append(passage)
    elif (place := int(rng.integers(number + 1))) < most:
        some[place] = passage


def hardness_reason(question: frozenset[str], off_topic: frozenset[str], why: str) -> str:
    """Return words on how hard a gold pair is, for the person who accepts it, and on its source ``why``."""
    return f"shares {len(question & off_topic)} of {len(question)} question words; {why}" if question else why
