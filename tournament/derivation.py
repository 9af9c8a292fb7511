"""Derive every query's best answers: the first tournament, then each challenge in order.

Resolving, challenging, publishing and rebuilding all go through :func:`derive`, so the same judgments give the
same best answers everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from tournament.contests import Contest, Need, Record, hold_contest
from tournament.copeland import BoolArray, Standings, Ties, best_of_queries, lacking_pairs
from tournament.outcomes import QueryOutcome, Status
from tournament.pair_wins import Count, IntArray, PairWins, tally, wins_of_pairs


@dataclass(frozen=True)
class Entrants:
    """The passages of each query's first tournament and their classes.

    Arrays of database keys, shape (members,): the query, the passage, and the passage that represents its class.
    """

    query: IntArray
    passage: IntArray
    representative: IntArray

    def only(self, kept: BoolArray) -> Entrants:
        """Return only the passages that the mask selects."""
        return Entrants(self.query[kept], self.passage[kept], self.representative[kept])


@dataclass(frozen=True)
class CountedJudgments:
    """The judgments that count, as arrays of shape (judgments,).

    Queries and passages are database keys; ``preferred`` is 0 for "cannot decide". ``round`` is the round of the
    judged pair: 0 for the first tournament, otherwise the number of a challenge.
    """

    query: IntArray
    left: IntArray
    right: IntArray
    preferred: IntArray
    round: IntArray

    def only(self, kept: BoolArray | IntArray) -> CountedJudgments:
        """Return the judgments selected by a mask or by indexes, which can repeat."""
        return CountedJudgments(
            self.query[kept], self.left[kept], self.right[kept], self.preferred[kept], self.round[kept]
        )


@dataclass(frozen=True)
class Parameters:
    """Settings for interpreting judgments: ties, counting, and the judgments required per pair in the first round.

    ``resampled``: the judgments are a random draw, so the drawn ones decide even if fewer than required were drawn.
    """

    ties: Ties = Ties.RECOUNT
    count: Count = Count.SHARES
    wanted: int = 1
    resampled: bool = False

    @classmethod
    def named(cls, ties: str, count: str, *, wanted: int) -> Parameters:
        """Build parameters from their names; raises ValueError for unknown names."""
        return cls(Ties(ties), Count(count), wanted)


@dataclass(frozen=True)
class Derivation:
    """Every query's outcome, by query key, and the judgments that challenges still need."""

    outcomes: dict[int, QueryOutcome]
    needs: list[Need] = field(default_factory=list)


def derive(
    entrants: Entrants, judged: CountedJudgments, contests: Sequence[Contest], parameters: Parameters
) -> Derivation:
    """Derive every query's best answers.

    ``contests`` are the challenges to apply, in order. A query whose first tournament is open is not challenged. A
    query that only a challenge covers starts from the best answers that the challenge recorded. A query whose
    challenge lacks judgments is open and keeps its best answers; ``needs`` lists the missing judgments.
    """
    outcomes = first_tournaments(entrants, judged.only(judged.round == 0), parameters)
    if not contests:
        return Derivation(outcomes)
    record = _challenge_record(judged, contests, entrants)
    needs: list[Need] = []
    for contest in contests:
        decided, lacking = hold_contest(
            contest, outcomes, record, parameters.ties, parameters.count, resampled=parameters.resampled
        )
        outcomes.update(decided)
        needs += lacking
    return Derivation(outcomes, needs)


@dataclass(frozen=True)
class _Nodes:
    """The nodes of all queries: one for each class of a query's passages."""

    query: IntArray  # (queries,): keys, ascending
    starts: IntArray  # (queries,): index of the query's first node
    passage: IntArray  # (nodes,): key of the class's representative, ascending within a query


def first_tournaments(
    entrants: Entrants, judged: CountedJudgments, parameters: Parameters
) -> dict[int, QueryOutcome]:
    """Return the outcome of every query's first tournament (round 0), all queries at once."""
    if not len(entrants.query):
        return {}
    member_node, nodes = _index_nodes(entrants)
    pairs = _wins_between_nodes(entrants, member_node, nodes, judged, parameters)
    size = len(nodes.passage)
    standings = best_of_queries(nodes.starts, size, pairs, ties=parameters.ties, wanted=parameters.wanted)
    return _outcomes_by_query(nodes, pairs, standings, parameters)


def _index_nodes(entrants: Entrants) -> tuple[IntArray, _Nodes]:
    """Return the index of each entrant's node, and the nodes."""
    keys, member_node = np.unique(
        np.stack([entrants.query, entrants.representative]), axis=1, return_inverse=True
    )
    query, starts = np.unique(keys[0], return_index=True)
    return member_node.reshape(-1), _Nodes(query, starts, keys[1])


def _wins_between_nodes(
    entrants: Entrants, member_node: IntArray, nodes: _Nodes, judged: CountedJudgments, parameters: Parameters
) -> PairWins:
    """Count the judgments as wins between nodes; ignore judgments of passages that are not entrants."""
    width = 1 + int(max(entrants.passage.max(), judged.left.max(initial=0), judged.right.max(initial=0), 0))
    place = np.searchsorted(nodes.query, entrants.query)
    member_key = place * width + entrants.passage
    order = np.argsort(member_key, kind="stable")
    member_key, node = member_key[order], member_node[order]
    judged_place = np.minimum(np.searchsorted(nodes.query, judged.query), len(nodes.query) - 1)
    known = nodes.query[judged_place] == judged.query

    def node_of(passage: IntArray) -> IntArray:
        wanted = judged_place * width + passage
        found = np.minimum(np.searchsorted(member_key, wanted), len(member_key) - 1)
        return np.where(known & (member_key[found] == wanted), node[found], -1)

    left, right = node_of(judged.left), node_of(judged.right)
    preferred = np.where(judged.preferred == judged.left, left, right)
    preferred[judged.preferred == 0] = -1
    kept = (left >= 0) & (right >= 0)
    largest = int(np.diff(np.append(nodes.starts, len(nodes.passage))).max())
    counts = tally(left[kept], right[kept], preferred[kept])
    return wins_of_pairs(counts, count=parameters.count, largest=largest)


def _outcomes_by_query(
    nodes: _Nodes, pairs: PairWins, standings: Standings, parameters: Parameters
) -> dict[int, QueryOutcome]:
    size = len(nodes.passage)
    incomplete = np.flatnonzero(np.add.reduceat(standings.unjudged, nodes.starts) > 0)
    lacking = lacking_pairs(nodes.starts, size, pairs, incomplete, wanted=parameters.wanted)
    ends = np.append(nodes.starts, size).tolist()
    passages, wins, best = nodes.passage.tolist(), standings.wins.tolist(), standings.best.tolist()
    worth = {value: Fraction(value, standings.unit) for value in set(wins)}
    outcomes = {}
    for number, query in enumerate(nodes.query.tolist()):
        span = range(ends[number], ends[number + 1])
        closed = bool(standings.closed[number])
        outcome = QueryOutcome(
            status=Status.SINGLETON if len(span) == 1 else Status.CLOSED if closed else Status.OPEN,
            best=tuple(passages[node] for node in span if best[node]),
            cycle=closed and bool(standings.cycle[number]),
            tied_at_first=int(standings.tied_at_first[number]),
            wins={passages[node]: worth[wins[node]] for node in span},
            missing=tuple((passages[a], passages[b]) for a, b in lacking.get(number, ())),
        )
        if outcome.status is Status.OPEN and not any(outcome.wins.values()):
            outcome = replace(
                outcome, best=()
            )  # without judgments, every passage would be a best answer with no wins
        outcomes[query] = outcome
    return outcomes


def _challenge_record(judged: CountedJudgments, contests: Sequence[Contest], entrants: Entrants) -> Record:
    """Count the judgments of the challenged queries pair by pair, between class representatives."""
    challenged = np.array(sorted({query for contest in contests for query in contest.sides}), dtype=np.int64)
    inside = np.isin(entrants.query, challenged)
    represents: Mapping[tuple[int, int], int] = dict(
        zip(
            zip(entrants.query[inside].tolist(), entrants.passage[inside].tolist(), strict=True),
            entrants.representative[inside].tolist(),
            strict=True,
        )
    )
    record = Record()
    rows = judged.only(np.isin(judged.query, challenged))
    for query, left, right, preferred, number in zip(
        rows.query.tolist(),
        rows.left.tolist(),
        rows.right.tolist(),
        rows.preferred.tolist(),
        rows.round.tolist(),
        strict=True,
    ):
        side = [represents.get((query, passage), passage) for passage in (left, right)]
        record.add(query, side[0], side[1], {left: side[0], right: side[1]}.get(preferred, 0), number)
    return record
