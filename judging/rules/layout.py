"""The order of pairs on a worker's pages, and the side of each passage.

The layout does not reveal gold pairs: they are mixed with the other pairs, and their sides are drawn at random.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from string import digits

import numpy as np


@dataclass(frozen=True)
class Seat:
    """The content of one slot: the pair or gold pair at ``index`` of its list in the input.

    ``swapped`` says whether its second passage is on the left.
    """

    is_gold: bool
    index: int
    swapped: bool


def lay_out(leanings: Sequence[int], gold_count: int, rng: np.random.Generator) -> tuple[Seat, ...]:
    """Return the content of a task's slots in order, for ``len(leanings)`` pairs and ``gold_count`` gold pairs.

    ``leanings[i]`` is how many more times pair *i* was shown unswapped than swapped so far. A pair with a nonzero
    leaning is shown the other way, so that its judgments are balanced over both sides. Half of the other pairs are
    swapped (an odd one at random), and likewise half of the gold pairs. Gold pairs can be in any slot. The same
    generator state gives the same layout.
    """
    swaps = _balancing_swaps(leanings, rng)
    gold_swaps = _random_halves(gold_count, rng)
    total = len(leanings) + gold_count
    gold_at = set(rng.permutation(total)[:gold_count].tolist())
    pairs = iter(rng.permutation(len(leanings)).tolist())
    golds = iter(range(gold_count))
    seats = []
    for position in range(total):
        if position in gold_at:
            index = next(golds)
            seats.append(Seat(True, index, gold_swaps[index]))
        else:
            index = next(pairs)
            seats.append(Seat(False, index, swaps[index]))
    return tuple(seats)


def _balancing_swaps(leanings: Sequence[int], rng: np.random.Generator) -> list[bool]:
    level = iter(_random_halves(sum(leaning == 0 for leaning in leanings), rng))
    return [leaning > 0 if leaning else next(level) for leaning in leanings]


def _random_halves(count: int, rng: np.random.Generator) -> list[bool]:
    """Return ``count`` booleans in random order, half of them True; an odd one is True or False at random."""
    trues = count // 2 + (int(rng.integers(2)) if count % 2 else 0)
    return [bool(value) for value in rng.permutation([True] * trues + [False] * (count - trues))]


SIDES = (LEFT, RIGHT, UNDECIDED) = ("left", "right", "undecided")
#: All answers that are possible in any campaign.
ANSWERS = frozenset((*SIDES, *digits))


def possible_answers(grades: int, *, allow_undecided: bool) -> tuple[str, ...]:
    """Return the answers that a worker can choose.

    These are the digits of ``grades`` levels, or the sides of a pair if ``grades`` is 0.
    """
    if grades:
        return tuple(map(str, range(grades)))
    return SIDES if allow_undecided else SIDES[:2]


def scales_with(answer: str) -> tuple[int, int]:
    """Return the minimum and maximum numbers of levels of the scales that have this answer.

    Returns (0, 0) if the answer is a side.
    """
    return (0, 0) if answer in SIDES else (int(answer) + 1, len(digits))


def placeholder_text(seed: int, pid: str) -> str:
    """Return the text that a rehearsal shows for a passage without text. It does not reveal the passage's id."""
    digest = hashlib.sha256(f"placeholder:{seed}:{pid}".encode()).hexdigest()
    return f"Placeholder for passage {digest[:16]}"


def submission_seed(campaign_seed: int, assignment: str) -> int:
    """Return the seed of a submission's layout, derived from the campaign's seed. It fits a signed 64-bit column."""
    digest = hashlib.sha256(f"layout:{campaign_seed}:{assignment}".encode()).digest()
    return int.from_bytes(digest[:7])
