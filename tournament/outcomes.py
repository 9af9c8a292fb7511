"""A query's outcome and the sentence that explains it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction


class Status(StrEnum):
    """The status of a query: closed (its best answers are settled), open or singleton.

    A singleton has only one passage, which needs no judgments.
    """

    CLOSED = "closed"
    OPEN = "open"
    SINGLETON = "singleton"


@dataclass(frozen=True)
class QueryOutcome:
    """The outcome of one query. Passages are the keys of class representatives.

    - ``best``: the best answers, ascending; for an open query, the best so far (empty without judgments).
    - ``tied_at_first``: the number of passages with the most wins before any recount.
    - ``wins``: the wins of each passage in the tournament that decided the query; empty if its best answers kept
      their places in a challenge or were only recorded by one.
    - ``missing``: the pairs still to be judged; in a closed query, they cannot change the result.
    - ``challenge``: the number of the deciding challenge, 0 for the first tournament.
    - ``challengers``: the number of challengers in that challenge.
    """

    status: Status
    best: tuple[int, ...]
    cycle: bool
    tied_at_first: int
    wins: Mapping[int, Fraction]
    missing: tuple[tuple[int, int], ...] = ()
    challenge: int = 0
    challengers: int = 0

    @property
    def tied(self) -> bool:
        """True if the query is settled with several best answers."""
        return self.status is not Status.OPEN and len(self.best) > 1

    def is_published(self, *, allow_open: bool) -> bool:
        """Return whether a version includes the query. ``allow_open`` adds open queries with best answers so far."""
        return bool(self.best) and (allow_open or self.status is not Status.OPEN)


def small_number_text(value: Fraction) -> str:
    """Return a number of wins as text: ``3``, ``2.5``, ``2 1/3``."""
    whole, rest = divmod(value, 1)
    if not rest:
        return str(whole)
    if rest == Fraction(1, 2):
        return f"{whole}.5"
    return f"{whole} {rest}" if whole else str(rest)


def _wins_text(value: Fraction) -> str:
    return f"{small_number_text(value)} {'win' if value == 1 else 'wins'}"


def outcome_reason(outcome: QueryOutcome, pid_of: Callable[[int], str]) -> str:
    """Return the reason for this result in one sentence; ``pid_of`` names a passage."""
    names = " and ".join(pid_of(passage) for passage in outcome.best)
    if outcome.status is Status.SINGLETON:
        return f"{names} is the only passage in the pool, so it is the best answer and needs no judgments."
    return (_open_reason if outcome.status is Status.OPEN else _closed_reason)(outcome, names)


def _open_reason(outcome: QueryOutcome, names: str) -> str:
    pairs = len(outcome.missing)
    lacking = f"{pairs} {'pair lacks' if pairs == 1 else 'pairs lack'} judgments"
    if outcome.challenge:
        lacking = f"In challenge {outcome.challenge}, {lacking}"
    so_far = f"; best so far: {names}" if names else "; nothing has been judged yet"
    return f"{lacking}{so_far}."


def _closed_reason(outcome: QueryOutcome, names: str) -> str:
    if not outcome.wins:
        held = "keeps its place" if len(outcome.best) == 1 else "keep their places"
        if not outcome.challenge:  # the challenge's new passages all joined the classes of these best answers
            return f"{names} {held} from an earlier version: no new passage had to be compared."
        loser = "the challenger" if outcome.challengers == 1 else f"all {outcome.challengers} challengers"
        return f"{names} {held} in challenge {outcome.challenge}: {loser} lost to every best answer."
    where = f" in challenge {outcome.challenge}" if outcome.challenge else ""
    top = _wins_text(max(outcome.wins.values()))
    if len(outcome.best) == 1:
        if outcome.tied_at_first > 1:
            return f"{names} won the recount among {outcome.tied_at_first} passages with {top} each{where}."
        early = "; the unjudged pairs can't change that" if outcome.missing else ""
        return f"{names} has the most wins{where}: {top}{early}."
    kind = " and beat each other in a cycle" if outcome.cycle else ""
    recount = ", also after recounts among them" if outcome.tied_at_first > len(outcome.best) else ""
    return f"{names} are tied{where} ({top} at first{recount}){kind}."
