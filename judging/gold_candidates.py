"""Pure: which off-topic passages a question can have, from labels and from texts that nobody judges."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from judging.gold import Triple
from judging.pair_features import QuestionText

#: Labels: query → passage → grade.
Grades = Mapping[int, Mapping[int, int]]
#: So many passages of a question are tried on each side.
MOST_A_SIDE = 12
#: So many of the nearest passages of a question, and so many drawn by chance, are tried.
NEAREST, ANY = 10, 3


def plainly_worse(bad: int, good: int, *, least: int, top: int) -> bool:
    """Whether labels leave no doubt: ``bad`` is not relevant, and two grades below ``good`` where grades are many."""
    return bad < least and good - bad >= min(2, top)


def known_relevant(grades: Grades, least: int) -> dict[int, list[int]]:
    """Query → passages labeled relevant, the best grades first."""
    found = {}
    for query, of_query in grades.items():
        relevant = [passage for passage, grade in of_query.items() if grade >= least]
        if relevant:
            found[query] = sorted(relevant, key=lambda passage: (-of_query[passage], passage))[:MOST_A_SIDE]
    return found


def labeled(grades: Grades, relevant: Mapping[int, Sequence[int]], least: int) -> Iterator[Triple]:
    """Known relevant passages against those labeled not relevant for the same question."""
    top = max((grade for of_query in grades.values() for grade in of_query.values()), default=0)
    for query, good_ones in relevant.items():
        of_query = grades[query]
        bad_ones = sorted((passage for passage in of_query if of_query[passage] < least), key=of_query.get)  # type: ignore[arg-type]
        for bad in bad_ones[:MOST_A_SIDE]:
            for good in good_ones:
                if plainly_worse(of_query[bad], of_query[good], least=least, top=top):
                    why = f"labeled {of_query[bad]} for this question, the relevant one {of_query[good]}"
                    yield Triple(query, good, bad, why)


def against(
    relevant: Mapping[int, Sequence[int]], others: Mapping[int, Iterable[int]], why: str
) -> Iterator[Triple]:
    """Known relevant passages against passages that nobody labeled for the question."""
    for query, found in others.items():
        for bad in found:
            for good in relevant.get(query, ()):
                if good != bad:
                    yield Triple(query, good, bad, why)


def nearest(
    questions: Mapping[int, QuestionText],
    passages: Iterable[tuple[int, frozenset[str]]],
    rng: np.random.Generator,
) -> dict[int, list[int]]:
    """Question → passages of other questions that share most of its words, weighted, and a few by chance.

    A passage belongs to the question that it matches best. One that has every word of a question may answer it and
    is left out. Passages are read once, and only the best of each question are kept.
    """
    asking: dict[str, list[int]] = defaultdict(list)
    for key, question in questions.items():
        for word in question.words:
            asking[word].append(key)
    total = {key: sum(question.weights.values()) for key, question in questions.items()}
    best: dict[int, list[tuple[float, int]]] = {key: [] for key in questions}
    some: list[int] = []
    for number, (passage, words) in enumerate(passages):
        shares = _shares(words, asking, questions, total)
        own = max(shares, key=lambda key: (shares[key], key), default=None)
        for key, share in shares.items():
            if key != own and share < 1 and not questions[key].words <= words:
                _keep(best[key], (share, passage))
        _keep_some(some, passage, number, rng)
    found = {}
    for key in questions:
        drawn = [some[index] for index in rng.permutation(len(some))[:ANY].tolist()]
        found[key] = list(
            dict.fromkeys([*(passage for _, passage in sorted(best[key], reverse=True)), *drawn])
        )
    return found


def _shares(
    words: frozenset[str],
    asking: Mapping[str, Sequence[int]],
    questions: Mapping[int, QuestionText],
    total: Mapping[int, float],
) -> dict[int, float]:
    """Question → the share of its weight that the words have, for those that share any."""
    shares: dict[int, float] = defaultdict(float)
    for word in sorted(words & asking.keys()):
        for key in asking[word]:
            shares[key] += questions[key].weights[word] / total[key] if total[key] else 0.0
    return shares


def _keep(heap: list[tuple[float, int]], one: tuple[float, int]) -> None:
    if len(heap) < NEAREST:
        heapq.heappush(heap, one)
    else:
        heapq.heappushpop(heap, one)


def _keep_some(some: list[int], passage: int, number: int, rng: np.random.Generator, most: int = 200) -> None:
    """Keep an even sample of all that come by."""
    if len(some) < most:
        some.append(passage)
    elif (place := int(rng.integers(number + 1))) < most:
        some[place] = passage


def reason(question: frozenset[str], off_topic: frozenset[str], why: str) -> str:
    """What makes a gold pair hard or easy, in words for the person who accepts it."""
    return f"shares {len(question & off_topic)} of {len(question)} question words; {why}" if question else why
