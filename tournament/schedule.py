"""Which pairs to ask next: the first round robin, and challenges of the current best answers. Pure.

A challenge (``docs/methods.md``, "Challenges"): newcomers meet every current best answer; those who lose to
every one drop out; the others meet each other; the tournament rule inside {best answers + those left}
decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import combinations

PairKey = tuple[int, int]

LEAD = 2
MOST_JUDGMENTS = 5


class Rule(StrEnum):
    """How long a pair of a challenge is judged."""

    LEAD2 = "lead2"
    SINGLE = "single"

    @property
    def fewest(self) -> int:
        """The fewest judgments that can settle a pair."""
        return LEAD if self is Rule.LEAD2 else 1

    @property
    def most(self) -> int:
        """The most judgments a pair is asked."""
        return MOST_JUDGMENTS if self is Rule.LEAD2 else 1

    @property
    def part_filled_tasks(self) -> int:
        """The most tasks that go out part-filled while one stage of a challenge is judged.

        ``lead2`` asks in at most four waves: two judgments a pair in the first three, one in the last.
        """
        return 7 if self is Rule.LEAD2 else 1


@dataclass(frozen=True)
class Said:
    """The counted judgments of a pair: how many prefer its first passage, its second, and neither."""

    first: int = 0
    second: int = 0
    undecided: int = 0

    @property
    def judged(self) -> int:
        """All judgments of the pair."""
        return self.first + self.second + self.undecided


@dataclass(frozen=True)
class Meeting:
    """Where a pair stands: the judgments to ask now, and the first passage's part of the win when settled."""

    needed: int
    share: Fraction | None

    @property
    def settled(self) -> bool:
        """Whether nothing more needs to be asked."""
        return self.share is not None


@dataclass(frozen=True)
class Sides:
    """One query of a challenge: who holds the title and who wants it."""

    bests: tuple[int, ...]
    challengers: tuple[int, ...]


@dataclass(frozen=True)
class Step:
    """Where one query of a challenge stands.

    ``ask``: the pairs to ask now, with how many judgments each; empty when ``finished``. ``left``: the
    challengers known to stay in (all of them, once finished).
    """

    ask: tuple[tuple[PairKey, int], ...]
    left: tuple[int, ...]
    finished: bool


@dataclass(frozen=True)
class Forecast:
    """What a challenge may cost in pairs, judgments and tasks."""

    pairs_fewest: int
    pairs_most: int
    judgments_fewest: int
    judgments_most: int
    tasks_fewest: int
    tasks_most: int


def ordered(one: int, other: int) -> PairKey:
    """The pair of two passages, ordered by their keys."""
    return (one, other) if one < other else (other, one)


def round_robin(passages: Iterable[int]) -> list[PairKey]:
    """Every pair of the passages once, ascending."""
    return list(combinations(sorted(set(passages)), 2))


def meeting(rule: Rule, said: Said) -> Meeting:
    """Where a pair of a challenge stands.

    ``lead2``: judged until one side leads by 2 or five judgments are in. What is asked at once is the
    smallest number that could settle the pair (2 at first and when level, 1 when one side leads by 1 or four
    are in), so nothing is asked that is not needed and nothing waits that could be asked. The side ahead
    takes the whole win, half each if level.
    """
    lead = abs(said.first - said.second)
    needed = max(0, min(rule.fewest - lead, rule.most - said.judged))
    if needed:
        return Meeting(needed, None)
    ahead = (said.first > said.second) - (said.first < said.second)
    return Meeting(0, Fraction(1 + ahead, 2))


def challenge_step(sides: Sides, meeting_of: Callable[[int, int], Meeting]) -> Step:
    """What one query of a challenge needs now.

    ``meeting_of(a, b)`` (a < b) tells where a pair stands. A challenger is known to stay as soon as one best
    answer fails to beat it; pairs among those are asked without waiting for the rest.
    """
    ask: list[tuple[PairKey, int]] = []
    staying: list[int] = []
    undecided = False
    for challenger in sorted(sides.challengers):
        stays = False
        for best in sorted(sides.bests):
            pair = ordered(best, challenger)
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
    """The fewest and most pairs, judgments and tasks of a challenge.

    Fewest: every challenger loses to every best answer, each pair as soon as it can be settled. Most: none
    does, so that the challengers also meet each other, and every pair goes the whole length. The most tasks
    allow for a part-filled task in every wave of questions. Tasks repeated because a worker was
    excluded come on top.
    """
    fewest = sum(len(sides.bests) * len(sides.challengers) for sides in queries)
    most = fewest + sum(len(sides.challengers) * (len(sides.challengers) - 1) // 2 for sides in queries)
    stages = 2 if any(len(sides.challengers) > 1 for sides in queries) else 1
    part_filled = rule.part_filled_tasks * stages
    tasks_fewest = -(-fewest // pairs_per_task) * rule.fewest
    tasks_most = min(most * rule.most, most * rule.most // pairs_per_task + part_filled)
    return Forecast(fewest, most, fewest * rule.fewest, most * rule.most, tasks_fewest, tasks_most)
