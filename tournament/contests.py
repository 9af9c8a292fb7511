"""Apply a challenge to its queries, and find their new outcomes and the judgments that are still needed."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from tournament.copeland import Ties, best_of_queries
from tournament.outcomes import QueryOutcome, Status
from tournament.pair_wins import EXACT_BELOW, Count, ExactArray, PairWins
from tournament.schedule import (
    Meeting,
    PairJudgments,
    PairKey,
    Rule,
    Sides,
    Step,
    challenge_step,
    meeting,
    ordered_pair,
    round_robin,
)


@dataclass(frozen=True)
class Contest:
    """A challenge as :func:`hold_contest` needs it.

    ``number`` is also the round of the challenge's pairs. ``sides`` maps query keys to best answers and challengers.
    """

    number: int
    rule: Rule
    sides: Mapping[int, Sides]


@dataclass(frozen=True)
class Need:
    """The number of judgments that a challenge still needs for one pair (a, b). Pending ones are not subtracted."""

    challenge: int
    query: int
    a: int
    b: int
    judgments: int


@dataclass
class Record:
    """The judgments and the round of each pair of the challenged queries, by (query, a, b) with a < b."""

    said: dict[tuple[int, int, int], PairJudgments] = field(default_factory=dict)
    rounds: dict[tuple[int, int, int], int] = field(default_factory=dict)

    def add(self, query: int, left: int, right: int, preferred: int, number: int) -> None:
        """Count one judgment of a pair in round ``number``; ``preferred`` is 0 for "cannot decide"."""
        if left == right:
            return
        a, b = ordered_pair(left, right)
        key = (query, a, b)
        said = self.said.get(key, PairJudgments())
        first, second = preferred == a, preferred == b
        undecided = not (first or second)
        self.said[key] = PairJudgments(said.first + first, said.second + second, said.undecided + undecided)
        self.rounds[key] = number


@dataclass(frozen=True)
class _QueryMeetings:
    """The state of one query's pairs in one challenge."""

    query: int
    contest: Contest
    bests: frozenset[int]
    record: Record
    count: Count
    resampled: bool = False

    def meeting(self, a: int, b: int) -> Meeting:
        """Return the pair's state.

        A pair of an earlier round is settled. Two best answers without judgments tie. Any other pair follows this
        challenge's rule, or only the judgments drawn if they are a random draw.
        """
        key = (self.query, a, b)
        said = self.record.said.get(key, PairJudgments())
        if not said.judged and a in self.bests and b in self.bests:
            # The two passages tied in an earlier version, which another campaign decided.
            return Meeting(0, Fraction(1, 2))
        if said.judged and self.record.rounds[key] != self.contest.number:
            # Earlier challenges are finished. Under both of their rules, the side with more judgments takes the win.
            count = self.count if self.record.rounds[key] == 0 else Count.MAJORITY
            return Meeting(0, _share_of_win(said, count))
        if self.resampled:
            return Meeting(0, self._share_if_drawn(a, b, said))
        return meeting(self.contest.rule, said)

    def _share_if_drawn(self, a: int, b: int, said: PairJudgments) -> Fraction:
        """Return the first passage's share by the judgments drawn; without any, a best answer keeps its place."""
        if said.judged:
            return _share_of_win(said, Count.MAJORITY)
        return Fraction(1 + (a in self.bests) - (b in self.bests), 2)


def _share_of_win(said: PairJudgments, count: Count) -> Fraction:
    """Return the first passage's share of the win in a pair of an earlier round."""
    if count is Count.SHARES:
        return Fraction(2 * said.first + said.undecided, 2 * said.judged)
    return Fraction(1 + (said.first > said.second) - (said.first < said.second), 2)


def hold_contest(
    contest: Contest,
    before: Mapping[int, QueryOutcome],
    record: Record,
    ties: Ties,
    count: Count,
    *,
    resampled: bool = False,
) -> tuple[dict[int, QueryOutcome], list[Need]]:
    """Apply one challenge to the outcomes ``before`` it.

    Returns the new outcomes, by query key, and the judgments that the challenge needs now. Queries that were open
    before are left out: their best answers are unknown until the first tournament and earlier challenges are decided.
    If the judgments are ``resampled``, the drawn ones decide every query, and nothing more is needed.
    """
    decided: dict[int, QueryOutcome] = {}
    needs: list[Need] = []
    finals: list[tuple[_QueryMeetings, Step]] = []
    for query, sides in sorted(contest.sides.items()):
        held = before.get(query) or _recorded_outcome(sides)
        if held.status is Status.OPEN:
            if not resampled:
                continue
            if not any(held.wins.values()):  # nothing was drawn of the earlier rounds
                held = _recorded_outcome(sides)
        sides = Sides(held.best, tuple(c for c in sides.challengers if c not in held.best))
        if not sides.challengers:
            decided[query] = held
            continue
        table = _QueryMeetings(query, contest, frozenset(sides.bests), record, count, resampled)
        step = challenge_step(sides, table.meeting)
        if not step.finished:
            needs += [Need(contest.number, query, a, b, judgments) for (a, b), judgments in step.ask]
            decided[query] = replace(
                held,
                status=Status.OPEN,
                cycle=False,
                missing=tuple(sorted(pair for pair, _ in step.ask)),
                challenge=contest.number,
            )
        elif step.left:
            finals.append((table, step))
        else:
            decided[query] = _best_answers_kept(held, contest.number, len(sides.challengers))
    decided.update(_settle_finals(contest, finals, ties))
    return decided, needs


def _recorded_outcome(sides: Sides) -> QueryOutcome:
    """Return a closed outcome with the best answers that the challenge recorded.

    It is for a query that only the challenge covers, or of whose earlier rounds no judgment was drawn.
    """
    return QueryOutcome(Status.CLOSED, tuple(sorted(sides.bests)), False, len(sides.bests), {})


def _best_answers_kept(held: QueryOutcome, number: int, challengers: int) -> QueryOutcome:
    """Return the earlier outcome, closed by this challenge, with the same best answers and ties."""
    return replace(held, status=Status.CLOSED, wins={}, missing=(), challenge=number, challengers=challengers)


def _settle_finals(
    contest: Contest, finals: list[tuple[_QueryMeetings, Step]], ties: Ties
) -> dict[int, QueryOutcome]:
    """Apply the tournament rule to each query's best answers and remaining challengers, all queries at once."""
    if not finals:
        return {}
    starts: list[int] = []
    passages: list[int] = []
    shares: dict[PairKey, Fraction | None] = {}
    for table, step in finals:
        starts.append(len(passages))
        members = sorted({*table.bests, *step.left})
        node = {passage: len(passages) + place for place, passage in enumerate(members)}
        passages += members
        for a, b in round_robin(members):
            shares[node[a], node[b]] = table.meeting(a, b).share
    standings = best_of_queries(np.array(starts), len(passages), _as_wins(shares, len(passages)), ties=ties)
    outcomes = {}
    for number, (table, _) in enumerate(finals):
        end = starts[number + 1] if number + 1 < len(starts) else len(passages)
        span = range(starts[number], end)
        outcomes[table.query] = QueryOutcome(
            status=Status.CLOSED,
            best=tuple(passages[node] for node in span if standings.best[node]),
            cycle=bool(standings.cycle[number]),
            tied_at_first=int(standings.tied_at_first[number]),
            wins={passages[node]: Fraction(int(standings.wins[node]), standings.unit) for node in span},
            challenge=contest.number,
            challengers=len(contest.sides[table.query].challengers),
        )
    return outcomes


def _as_wins(shares: Mapping[PairKey, Fraction | None], size: int) -> PairWins:
    """Return the wins of the pairs that have a share, as exact numerators. A share of None means not settled."""
    settled = {pair: share for pair, share in shares.items() if share is not None}
    unit = math.lcm(2, *(share.denominator for share in settled.values()))
    kind: type = np.int64 if unit * size < EXACT_BELOW else object
    wins_a: ExactArray = np.array([int(share * unit) for share in settled.values()], dtype=kind)
    a, b = np.array(list(settled), dtype=np.int64).reshape(-1, 2).T
    return PairWins(a, b, wins_a, unit - wins_a, np.ones(len(a), dtype=np.int64), unit)
