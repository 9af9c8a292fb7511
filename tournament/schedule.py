"""Choose the pairs to judge in the first round robin and in challenges of the current best answers.

In a challenge (``docs/methods.md``, "Challenges"), each challenger is compared with every current best answer.
Challengers that lose to all of them drop out; the others are compared with each other. Then the tournament rule is
applied to the best answers and the remaining challengers.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import combinations

PairKey = tuple[int, int]

LEAD = 2
MOST_JUDGMENTS = 5


class Rule(StrEnum):
    """Rules for when a challenge stops judging a pair.

    ``lead2``: when one side leads by 2, or after five judgments. ``single``: after one judgment.
    """

    LEAD2 = "lead2"
    SINGLE = "single"

    @property
    def fewest(self) -> int:
        """The minimum number of judgments that can settle a pair."""
        return LEAD if self is Rule.LEAD2 else 1

    @property
    def most(self) -> int:
        """The maximum number of judgments of a pair."""
        return MOST_JUDGMENTS if self is Rule.LEAD2 else 1

    @property
    def part_filled_tasks(self) -> int:
        """The maximum number of partly filled tasks in one stage of a challenge.

        ``lead2`` requests judgments in at most four waves: two per pair in the first three, one in the last. Each
        pass over the pairs can leave one task partly filled.
        """
        return 7 if self is Rule.LEAD2 else 1


@dataclass(frozen=True)
class PairJudgments:
    """The numbers of counted judgments that prefer a pair's first passage, its second passage, or neither."""

    first: int = 0
    second: int = 0
    undecided: int = 0

    @property
    def judged(self) -> int:
        """The number of judgments of the pair."""
        return self.first + self.second + self.undecided


@dataclass(frozen=True)
class Meeting:
    """The state of a pair: the judgments to request now, and the first passage's share of the win once settled."""

    needed: int
    share: Fraction | None


@dataclass(frozen=True)
class Sides:
    """One query of a challenge: its current best answers and its challengers."""

    bests: tuple[int, ...]
    challengers: tuple[int, ...]


@dataclass(frozen=True)
class Step:
    """The state of one query of a challenge.

    ``ask``: the pairs to judge now, each with the number of judgments needed; empty if ``finished``. ``left``: the
    challengers that stay in because at least one best answer failed to beat them. It is final once ``finished``.
    """

    ask: tuple[tuple[PairKey, int], ...]
    left: tuple[int, ...]
    finished: bool


@dataclass(frozen=True)
class Forecast:
    """The range of pairs, judgments and tasks that a challenge can need."""

    pairs_fewest: int
    pairs_most: int
    judgments_fewest: int
    judgments_most: int
    tasks_fewest: int
    tasks_most: int


def ordered_pair(one: int, other: int) -> PairKey:
    """Return the two passages as a pair, ordered by their keys."""
    return (one, other) if one < other else (other, one)


def round_robin(passages: Iterable[int]) -> list[PairKey]:
    """Return every pair of the passages once, ascending."""
    return list(combinations(sorted(set(passages)), 2))


def meeting(rule: Rule, said: PairJudgments) -> Meeting:
    """Return the state of a pair of a challenge.

    ``lead2`` judges until one side leads by 2 or the pair has five judgments. Each time, it requests the smallest
    number that could settle the pair: 2 at first and for a tie, 1 if one side leads by 1 or the pair has four. So no
    judgment is superfluous or requested later than necessary. The leading side takes the whole win; in a tie, each
    side takes half.
    """
    lead = abs(said.first - said.second)
    needed = max(0, min(rule.fewest - lead, rule.most - said.judged))
    if needed:
        return Meeting(needed, None)
    ahead = (said.first > said.second) - (said.first < said.second)
    return Meeting(0, Fraction(1 + ahead, 2))


def challenge_step(sides: Sides, meeting_of: Callable[[int, int], Meeting]) -> Step:
    """Return the next step of one query of a challenge.

    ``meeting_of(a, b)`` (a < b) returns the state of a pair. A challenger is known to stay as soon as one best answer
    fails to beat it. Pairs of such challengers are judged without waiting for the other challengers.
    """
    ask: list[tuple[PairKey, int]] = []
    staying: list[int] = []
    undecided = False
    for challenger in sorted(sides.challengers):
        stays = False
        for best in sorted(sides.bests):
            pair = ordered_pair(best, challenger)
            stands = meeting_of(*pair)
            if stands.share is None:
                ask.append((pair, stands.needed))
                undecided = True
            elif stands.share != (1 if pair[0] == best else 0):
                stays = True
        if stays:
            staying.append(challenger)
    for pair in round_robin(staying):
        stands = meeting_of(*pair)
        if stands.share is None:
            ask.append((pair, stands.needed))
            undecided = True
    return Step(tuple(ask), tuple(staying), finished=not undecided)


def forecast(queries: Sequence[Sides], rule: Rule, *, pairs_per_task: int) -> Forecast:
    """Return the minimum and maximum numbers of pairs, judgments and tasks of a challenge.

    The minimum assumes that every challenger loses to every best answer, and that every pair settles as early as
    possible. The maximum assumes that every challenger stays in, so that challengers are also compared with each
    other, and that every pair takes all its judgments. The maximum number of tasks includes partly filled tasks.
    Tasks repeated after an exclusion are not included.
    """
    fewest = sum(len(sides.bests) * len(sides.challengers) for sides in queries)
    most = fewest + sum(len(sides.challengers) * (len(sides.challengers) - 1) // 2 for sides in queries)
    stages = 2 if any(len(sides.challengers) > 1 for sides in queries) else 1
    part_filled = rule.part_filled_tasks * stages
    tasks_fewest = -(-fewest // pairs_per_task) * rule.fewest
    tasks_most = min(most * rule.most, most * rule.most // pairs_per_task + part_filled)
    return Forecast(fewest, most, fewest * rule.fewest, most * rule.most, tasks_fewest, tasks_most)
