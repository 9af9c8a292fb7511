"""Pure: proposals for gold pairs, a known relevant passage against an obviously off-topic one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

#: Words that say nothing about a topic.
_STOP_WORDS = """
a an and are as at be been but by can could did do does for from had has have how i if in into is it its me my no not
of on or our she so such than that the their them then there these they this to up was we were what when where which
who whom whose why will with would you your
"""
_STOP = frozenset(_STOP_WORDS.split())
TRIES = 200


@dataclass(frozen=True)
class GoldProposal:
    """A relevant and an off-topic passage of a query, by keys.

    ``overlap`` is the share of the query's words that the off-topic passage has (0 when texts are unknown).
    """

    query_id: int
    relevant_id: int
    off_topic_id: int
    overlap: float


def content_words(text: str) -> frozenset[str]:
    """The words of a text that tell its topic: lower case, without stop words, plural s cut off."""
    words = re.findall(r"\w+", text.lower())
    return frozenset(word.removesuffix("s") for word in words if word not in _STOP and len(word) > 1)


def overlap(query: frozenset[str], passage: frozenset[str]) -> float:
    """The share of the query's content words that the passage has; 0 for a query without any."""
    return len(query & passage) / len(query) if query else 0.0


def propose(
    *,
    relevant: Sequence[tuple[int, int]],
    candidates: Sequence[int],
    related: Mapping[int, frozenset[int]],
    query_words: Mapping[int, frozenset[str]],
    passage_words: Mapping[int, frozenset[str]],
    taken: frozenset[tuple[int, int, int]],
    wanted: int,
    rng: np.random.Generator,
) -> list[GoldProposal]:
    """Up to ``wanted`` proposals, going round the relevant passages (best first) as often as needed.

    ``relevant``: (query, passage) keys, best first. ``candidates``: passages that may serve as off-topic,
    except those in ``related[query]`` (labelled or pooled for it). Without words any candidate serves.
    ``taken`` are (query, relevant, off-topic) that exist. A candidate that shares more than a tenth of the
    query's words, or half of the relevant passage's, is passed over. Of those that fit, one that serves least often
    is taken: a worker who meets a passage again and again learns that it is the off-topic one.
    """
    if not relevant or not candidates:
        return []
    proposals: list[GoldProposal] = []
    used = set(taken)
    uses = Counter(off_topic for *_, off_topic in taken)
    for _ in range(-(-wanted // len(relevant))):
        for query, passage in relevant:
            if len(proposals) == wanted:
                return proposals
            other = _off_topic(
                query, passage, candidates, related, query_words, passage_words, used, uses, rng
            )
            if other is not None:
                uses[other] += 1
                used.add((query, passage, other))
                words = overlap(query_words.get(query, frozenset()), passage_words.get(other, frozenset()))
                proposals.append(GoldProposal(query, passage, other, words))
    return proposals


def _off_topic(
    query: int,
    passage: int,
    candidates: Sequence[int],
    related: Mapping[int, frozenset[int]],
    query_words: Mapping[int, frozenset[str]],
    passage_words: Mapping[int, frozenset[str]],
    used: set[tuple[int, int, int]],
    uses: Mapping[int, int],
    rng: np.random.Generator,
) -> int | None:
    asked, own = query_words.get(query, frozenset()), passage_words.get(passage, frozenset())
    best: int | None = None
    for index in rng.integers(len(candidates), size=TRIES).tolist():
        other = int(candidates[index])
        if other == passage or other in related.get(query, frozenset()) or (query, passage, other) in used:
            continue
        words = passage_words.get(other, frozenset())
        if overlap(asked, words) > 0.1 or overlap(own, words) >= 0.5:
            continue
        if not uses.get(other):
            return other
        if best is None or uses[other] < uses[best]:
            best = other
    return best
