"""Numeric features of two passages under a question, as a page shows them.

The order of the two sides does not matter to :func:`features`: sides are drawn at random, so they carry no
information.
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
#: A text with this share of the other's content words may answer the question equally well.
NEARLY_ALL = 0.9
_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")

#: The names of the values of ``PassageText.surface``, in order: what a script sees without the question.
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
#: The names of the values of :func:`placement`, in order.
PLACEMENT = (
    "repeated question words",
    "dense question words",
    "early question words",
    "question words at first",
)


@dataclass(frozen=True)
class PassageText:
    """The data of a passage for features: content words in order, number of words, and the ``SURFACE`` features."""

    content: tuple[str, ...]
    length: int
    surface: tuple[float, ...]
    opening: frozenset[str]
    """The content words of its first sentence."""

    @cached_property
    def words(self) -> frozenset[str]:
        """The content words."""
        return frozenset(self.content)

    @cached_property
    def neighbors(self) -> frozenset[tuple[str, str]]:
        """The pairs of adjacent content words."""
        return _adjacent_words(self.content)


@dataclass(frozen=True)
class QuestionText:
    """A question for features; ``weights`` measures how rare each of its content words is."""

    words: frozenset[str]
    neighbors: frozenset[tuple[str, str]]
    weights: Mapping[str, float]


def content_words(text: str) -> frozenset[str]:
    """Return the words of a text that carry its topic: lower case, without stop words, plural s cut off."""
    return frozenset(_content_words(text))


def overlap(query: frozenset[str], passage: frozenset[str]) -> float:
    """Calculate the share of the query's content words that the passage has; 0 for a query without any."""
    return len(query & passage) / len(query) if query else 0.0


def nearly_contained(one: frozenset[str], other: frozenset[str]) -> bool:
    """Check whether one passage has nearly all content words of the other, as a shortened copy has."""
    fewer = min(len(one), len(other))
    return bool(fewer) and len(one & other) >= NEARLY_ALL * fewer


def word_count(text: str) -> int:
    return len(_WORD.findall(text))


def read_passage(text: str) -> PassageText:
    """Read a passage's text once for all features."""
    opening, *_ = _SENTENCE.split(text.strip(), maxsplit=1)
    return PassageText(tuple(_content_words(text)), word_count(text), _surface(text), content_words(opening))


def _surface(text: str) -> tuple[float, ...]:
    """Calculate the features named in ``SURFACE``."""
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
    """Calculate the features named in ``PLACEMENT``: how often the passage has the question's words, and where."""
    at = [place for place, word in enumerate(passage.content) if word in question.words]
    return (
        float(len(at)),
        _ratio(len(at), passage.length),
        -float(at[0]) if at else -math.inf,
        float(len(question.words & passage.opening)),
    )


def question_features(text: str, weights: Mapping[str, float]) -> QuestionText:
    """Read a question's text; ``weights`` come from :func:`word_weights`; an unknown word counts as the rarest."""
    content = _content_words(text)
    rarest = max(weights.values(), default=1.0)
    own = {word: weights.get(word, rarest) for word in content}
    return QuestionText(frozenset(content), _adjacent_words(content), own)


def word_weights(passages: Iterable[frozenset[str]]) -> dict[str, float]:
    """Calculate the inverse document frequency of every word of these passages: rare words weigh more."""
    counts: Counter[str] = Counter()
    total = 0
    for words in passages:
        total += 1
        counts.update(words)
    return {word: math.log(1 + (total - count + 0.5) / (count + 0.5)) for word, count in counts.items()}


def weighted_overlap(question: QuestionText, passage: frozenset[str]) -> float:
    """Calculate the share of the question's weight that the passage has."""
    total = sum(question.weights.values())
    found = sum(weight for word, weight in question.weights.items() if word in passage)
    return found / total if total else 0.0


def features(question: QuestionText, one: PassageText, other: PassageText) -> tuple[float, ...]:
    """Calculate the pair's features, which do not depend on the order of its sides.

    They are: lower and higher overlap with the question, plain and weighted; lengths; share of common words; number
    of question words; number of sides without a question word; shared phrases of the question.
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
