"""Numeric features of two passages under a question, as a page shows them.

:func:`features` ignores the order of the two passages, because sides are drawn at random and carry no information.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

#: English stop words.
_STOP_WORDS = """
a an and are as at be been but by can could did do does for from had has have how i if in into is it its me my no not
of on or our she so such than that the their them then there these they this to up was we were what when where which
who whom whose why will with would you your
"""
_STOP = frozenset(_STOP_WORDS.split())
#: The share of common content words from which one text may answer a question as well as the other.
NEARLY_ALL = 0.9
_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")

#: The names of the values in ``PassageText.surface``, in order. They can be computed without the question.
SURFACE = (
    "capital letters",
    "dense capital letters",
    "digits",
    "punctuation",
    "dense punctuation",
    "dashes and colons",
    "letters a word",
    "letters in one word",
    "sentences",
    "words a sentence",
    "words in the first sentence",
    "different words",
    "stop words",
    "question marks",
)
#: The names of the values that :func:`placement` returns, in order.
PLACEMENT = (
    "repeated question words",
    "dense question words",
    "early question words",
    "question words at first",
)


@dataclass(frozen=True)
class PassageText:
    """The data of a passage for features: its content words in order, number of words, and ``SURFACE`` values."""

    content: tuple[str, ...]
    length: int
    surface: tuple[float, ...]
    opening: frozenset[str]
    """The content words of its first sentence."""

    @cached_property
    def words(self) -> frozenset[str]:
        """The set of content words."""
        return frozenset(self.content)

    @cached_property
    def neighbors(self) -> frozenset[tuple[str, str]]:
        """The pairs of adjacent content words."""
        return _adjacent_words(self.content)


@dataclass(frozen=True)
class QuestionText:
    """The data of a question for features: its content words, pairs of adjacent ones, and the words' rarity."""

    words: frozenset[str]
    neighbors: frozenset[tuple[str, str]]
    weights: Mapping[str, float]


def content_words(text: str) -> frozenset[str]:
    """Return the content words of a text: in lower case, without stop words and single letters, final s cut off."""
    return frozenset(_content_words(text))


def overlap(query: frozenset[str], passage: frozenset[str]) -> float:
    """Calculate the share of the query's content words that the passage has; 0 for a query without any."""
    return len(query & passage) / len(query) if query else 0.0


def nearly_contained(one: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether the passage with fewer content words shares nearly all of them with the other passage."""
    fewer = min(len(one), len(other))
    return bool(fewer) and len(one & other) >= NEARLY_ALL * fewer


def word_count(text: str) -> int:
    return len(_WORD.findall(text))


def read_passage(text: str) -> PassageText:
    """Extract from a passage's text the data that all features need."""
    opening, *_ = _SENTENCE.split(text.strip(), maxsplit=1)
    return PassageText(tuple(_content_words(text)), word_count(text), _surface(text), content_words(opening))


def _surface(text: str) -> tuple[float, ...]:
    """Calculate the values named in ``SURFACE``."""
    words, sentences = _WORD.findall(text), [part for part in _SENTENCE.split(text) if part.strip()]
    capitals = sum(sign.isupper() for sign in text)
    marks = sum(not sign.isalnum() and not sign.isspace() for sign in text)
    lengths = [len(word) for word in words]
    return (
        float(capitals),
        _ratio(capitals, len(text)),
        float(sum(sign.isdigit() for sign in text)),
        float(marks),
        _ratio(marks, len(text)),
        float(sum(text.count(sign) for sign in "-–—:;")),
        _ratio(sum(lengths), len(words)),
        float(max(lengths, default=0)),
        float(len(sentences)),
        _ratio(len(words), len(sentences)),
        float(word_count(sentences[0])) if sentences else 0.0,
        _ratio(len({word.lower() for word in words}), len(words)),
        _ratio(sum(word.lower() in _STOP for word in words), len(words)),
        float(text.count("?")),
    )


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def placement(question: QuestionText, passage: PassageText) -> tuple[float, ...]:
    """Calculate the values named in ``PLACEMENT``: how often the passage has the question's words, and where."""
    at = [place for place, word in enumerate(passage.content) if word in question.words]
    return (
        float(len(at)),
        _ratio(len(at), passage.length),
        -float(at[0]) if at else -math.inf,
        float(len(question.words & passage.opening)),
    )


def question_features(text: str, weights: Mapping[str, float]) -> QuestionText:
    """Extract the data of a question, with weights from :func:`word_weights`. Unknown words count as the rarest."""
    content = _content_words(text)
    rarest = max(weights.values(), default=1.0)
    own = {word: weights.get(word, rarest) for word in content}
    return QuestionText(frozenset(content), _adjacent_words(content), own)


def word_weights(passages: Iterable[frozenset[str]]) -> dict[str, float]:
    """Map every word of these passages to its inverse document frequency, which is higher for rare words."""
    counts: Counter[str] = Counter()
    total = 0
    for words in passages:
        total += 1
        counts.update(words)
    return {word: math.log(1 + (total - count + 0.5) / (count + 0.5)) for word, count in counts.items()}


def weighted_overlap(question: QuestionText, passage: frozenset[str]) -> float:
    """Calculate the share of the question's total word weight that belongs to words in the passage."""
    total = sum(question.weights.values())
    found = sum(weight for word, weight in question.weights.items() if word in passage)
    return found / total if total else 0.0


def features(question: QuestionText, one: PassageText, other: PassageText) -> tuple[float, ...]:
    """Return the features of a pair, which do not depend on the order of its sides.

    In this order, the features are:
    - the lower and the higher overlap with the question, plain and then weighted;
    - the log lengths, shorter first;
    - the share of common words;
    - the number of question words;
    - the number of passages without a question word;
    - the number of question phrases in the first passage plus that in the second.
    """
    plain = sorted((overlap(question.words, one.words), overlap(question.words, other.words)))
    weighted = sorted((weighted_overlap(question, one.words), weighted_overlap(question, other.words)))
    lengths = sorted((math.log(1 + one.length), math.log(1 + other.length)))
    joined = len(one.words | other.words)
    return (
        *plain,
        *weighted,
        *lengths,
        len(one.words & other.words) / joined if joined else 0.0,
        float(len(question.words)),
        float(sum(not question.words & side.words for side in (one, other))),
        float(sum(len(question.neighbors & side.neighbors) for side in (one, other))),
    )


def _content_words(text: str) -> list[str]:
    words = _WORD.findall(text.lower())
    return [word.removesuffix("s") for word in words if word not in _STOP and len(word) > 1]


def _adjacent_words(content: Sequence[str]) -> frozenset[tuple[str, str]]:
    return frozenset(pairwise(content))
