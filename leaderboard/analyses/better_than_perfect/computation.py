"""Better than perfect? One run's passages against the qrels, judged by people.

[SP] section 3, Tables 1 and 2. In *category A*, the qrel is the run's top passage, and people compare it with the
run's second passage. In *category B*, the qrel ranks lower or is not found, and people compare it with the run's top
passage. The paper leaves some choices open. Here, the qrel of a query is the passage with the highest grade
(the first in the file if several share it). A passage with the same text as the qrel, or a near-duplicate of it,
counts as the qrel, at any rank.
The majority of a pair's judgments counts; a tied pair and "cannot decide" count for neither side.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from leaderboard.analyses.shared.proportions import Interval, Share, share_with_bounds, sign_test_p


class Category(StrEnum):
    """Whether the run ranks the known relevant passage first (A) or not (B)."""

    A = "A"
    B = "B"


@dataclass(frozen=True)
class Comparison:
    """The comparison for one query: the qrel against another passage of the run."""

    qid: str
    category: Category
    qrel: str
    other: str


@dataclass(frozen=True)
class Comparisons:
    """The comparisons, at most one per query, and the queries without a comparison, by reason."""

    asked: tuple[Comparison, ...]
    missing: tuple[str, ...]
    """Queries for which the run has no passage."""
    nothing_second: tuple[str, ...]
    """Queries for which all searched passages of the run have the same text as the qrel."""


@dataclass(frozen=True)
class Preferred:
    """Counts of one category's queries by the preferred side. Shares are of the queries with a preference."""

    category: str
    queries: int
    judged: int
    qrel_preferred: Share
    comparison_preferred: Share
    neither: int
    p_value: float


def comparisons(
    tops: Mapping[str, Sequence[str]], qrels: Mapping[str, str], class_of: Mapping[str, str] | None = None
) -> Comparisons:
    """Return the comparisons of the queries in ``qrels`` (qid → pid), in that order.

    ``tops`` maps a qid to the pids of the run's first passages, best first. ``class_of`` maps a pid to the key of its
    text. A pid without a key is treated as having a text of its own.
    """
    known = class_of or {}
    asked: list[Comparison] = []
    missing: list[str] = []
    alone: list[str] = []
    for qid, qrel in qrels.items():
        ranked = tops.get(qid, ())
        if not ranked:
            missing.append(qid)
            continue
        text = known.get(qrel, qrel)
        other = next((pid for pid in ranked if known.get(pid, pid) != text), None)
        if other is None:
            alone.append(qid)
        else:
            asked.append(Comparison(qid, Category.B if other == ranked[0] else Category.A, qrel, other))
    return Comparisons(tuple(asked), tuple(missing), tuple(alone))


def who_was_preferred(
    asked: Iterable[Comparison],
    said: Mapping[str, tuple[int, int]],
    *,
    interval: Interval = Interval.WILSON,
) -> tuple[Preferred, ...]:
    """Count the queries by preferred side, for category A, category B, and both together.

    ``said`` maps each judged qid to its numbers of judgments for the qrel and for the other passage. Neither number
    includes "cannot decide".
    """
    by_category: dict[Category, list[str]] = {Category.A: [], Category.B: []}
    for one in asked:
        by_category[one.category].append(one.qid)
    both = [*by_category[Category.A], *by_category[Category.B]]
    named = [(str(category), qids) for category, qids in by_category.items()]
    return tuple(_count_category(name, qids, said, interval) for name, qids in [*named, ("both", both)])


def _count_category(
    name: str, qids: Sequence[str], said: Mapping[str, tuple[int, int]], interval: Interval
) -> Preferred:
    counts = [said[qid] for qid in qids if qid in said]
    qrel = sum(ours > theirs for ours, theirs in counts)
    other = sum(ours < theirs for ours, theirs in counts)
    return preferred_counts(
        name, queries=len(qids), qrel=qrel, other=other, neither=len(counts) - qrel - other, interval=interval
    )


def preferred_counts(
    category: str,
    *,
    queries: int,
    qrel: int,
    other: int,
    neither: int = 0,
    interval: Interval = Interval.WILSON,
) -> Preferred:
    """Return one category's shares of each preferred side, with the p-value of an exact test against one half."""
    decided = qrel + other
    return Preferred(
        category=category,
        queries=queries,
        judged=decided + neither,
        qrel_preferred=share_with_bounds(qrel, decided, interval=interval),
        comparison_preferred=share_with_bounds(other, decided, interval=interval),
        neither=neither,
        p_value=float(sign_test_p(qrel, other)),
    )
