"""What a person may set of an analysis: names, limits and defaults, and how an address is read."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from leaderboard.errors import WrongSetting
from leaderboard.intervals import TRIALS as USUAL_TRIALS
from leaderboard.split_halves import SPLITS as USUAL_SPLITS


@dataclass(frozen=True)
class Number:
    """A number within limits, whole where the default is; ``least`` and ``most`` are allowed."""

    name: str
    label: str
    default: int | float | None
    least: float
    most: float

    @property
    def whole(self) -> bool:
        """Whether only whole numbers make sense."""
        return isinstance(self.default, int)

    @property
    def limits(self) -> str:
        """What may be given, in words."""
        kind = "a whole number" if self.whole else "a number"
        return f"{kind} from {_shown(self.least)} to {_shown(self.most)}"

    def allows(self, number: float) -> bool:
        """Whether it is within the limits."""
        return self.least <= number <= self.most

    def read(self, text: str) -> int | float | None:
        """The number that is meant, the default for nothing. Raises WrongSetting."""
        if not text.strip():
            return self.default
        try:
            number = int(text) if self.whole else float(text)
        except ValueError:
            number = math.nan
        if not self.allows(number):
            raise WrongSetting(f"{self.label} is {text[:20]!r}.", f"Give {self.limits}.")
        return number


def _shown(limit: float) -> str:
    return f"{limit:,.0f}" if float(limit).is_integer() else f"{limit:g}"


# The same limits for pages and commands: more resamples than these say nothing more, and take hours.
TRIALS = Number("trials", "Resamples", USUAL_TRIALS, 1, 10_000)
SPLITS = Number("splits", "Splits", USUAL_SPLITS, 1, 1_000)


@dataclass(frozen=True)
class Choice:
    """One of several; what they are may depend on the collection, then ``options`` is empty and ``of`` names them.

    ``labels`` may be several at once, the usual ones; ``one labels`` is one of them, and ``one labels or order``
    may be an order of preference, too.
    """

    name: str
    label: str
    options: tuple[tuple[str, str], ...] = ()
    of: str = ""

    def read(self, text: str) -> str:
        """The option that is meant, the first (or "", the usual) for nothing. Raises WrongSetting."""
        if not self.options:
            return text.strip()[:200]
        names = [name for name, _ in self.options]
        if text and text not in names:
            raise WrongSetting(f"{self.label} is {text[:20]!r}.", f"Choose one of: {', '.join(names)}.")
        return text or names[0]


Field = Number | Choice
Settings = dict[str, str | int | float | None]


def read_settings(fields: Sequence[Field], given: Mapping[str, str]) -> Settings:
    """Every field's value. Raises WrongSetting for the first that makes no sense."""
    return {field.name: field.read(given.get(field.name, "")) for field in fields}
