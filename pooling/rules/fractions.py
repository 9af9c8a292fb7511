"""A random fraction of a corpus, the same for all queries.

Only the hash of the seed and the pid determines whether a passage is in the fraction; other passages do not matter.
With the same seed, a smaller fraction is part of a larger one.
"""

import hashlib
from dataclasses import dataclass

_PLACES = 2**64


@dataclass(frozen=True)
class Fraction:
    """A random fraction of a corpus, drawn with ``seed``: on average, one passage of every ``of``."""

    of: int
    seed: int

    def __post_init__(self) -> None:
        if self.of < 1 or self.seed < 0:
            raise ValueError(f"1/{self.of} with seed {self.seed} is not a valid fraction of a corpus.")

    def holds(self, pid: str) -> bool:
        place = hashlib.blake2b(f"{self.seed} {pid}".encode(), digest_size=8).digest()
        return int.from_bytes(place, "big") * self.of < _PLACES

    def __str__(self) -> str:
        return f"1/{self.of:,} (seed {self.seed})"
