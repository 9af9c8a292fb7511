"""Fields for the settings of an analysis: names, limits, defaults and help for pages, API calls and commands."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from leaderboard.analyses.split_halves.computation import SPLITS as USUAL_SPLITS
from leaderboard.errors import WrongSetting
from leaderboard.scoring.intervals import TRIALS as USUAL_TRIALS


@dataclass(frozen=True)
class Number:
    """A field for a number from ``least`` to ``most`` inclusive; an integer if the default is an integer."""

    name: str
    label: str
    default: int | float | None
    least: float
    most: float
    help: str = ""

    @property
    def integers_only(self) -> bool:
        """Whether only integers are allowed."""
        return isinstance(self.default, int)

    @property
    def limits(self) -> str:
        """The allowed values, in words."""
        kind = "a whole number" if self.integers_only else "a number"
        return f"{kind} from {_limit_in_words(self.least)} to {_limit_in_words(self.most)}"

    def allows(self, number: float) -> bool:
        return self.least <= number <= self.most

    def read(self, text: str) -> int | float | None:
        """Parse a number; an empty text gives the default. Raises WrongSetting if it is not an allowed number."""
        if not text.strip():
            return self.default
        try:
            number = int(text) if self.integers_only else float(text)
        except ValueError:
            number = math.nan
        if not self.allows(number):
            raise WrongSetting(f"{self.label} cannot be {text[:20]!r}.", f"Enter {self.limits}.")
        return number


def _limit_in_words(limit: float) -> str:
    return f"{limit:,.0f}" if float(limit).is_integer() else f"{limit:g}"


# Pages and commands share these limits. More resamples would take hours and add no information.
TRIALS = Number("trials", "Resamples", USUAL_TRIALS, 1, 10_000, "number of resamples")
SPLITS = Number("splits", "Splits", USUAL_SPLITS, 1, 1_000, "number of random splits into halves")


@dataclass(frozen=True)
class Choice:
    """A field for one of ``options`` (value and label), or for the name of something in the collection.

    ``of`` says what is named:

    - ``runs``, ``sets`` (qrel sets), ``versions`` or ``pools``;
    - ``labels``: several sets of labels;
    - ``one labels``: one set of labels;
    - ``other labels``: the labels to compare with;
    - ``one labels or order``: one set of labels or an order of preference;
    - ``measures``: a measure, by default the leaderboard's.

    A field without ``options`` and ``of`` accepts any text.

    ``option`` is the name of the command's option (default: ``--name``). With ``several``, the field accepts several
    values; with ``free``, also values other than the options. A ``flag`` is an option without a value that chooses
    the second of ``options``.
    """

    name: str
    label: str
    options: tuple[tuple[str, str], ...] = ()
    of: str = ""
    help: str = ""
    option: str = ""
    several: bool = False
    free: bool = False
    flag: bool = False

    def read(self, text: str) -> str:
        """Parse a choice. An empty text gives the first option, or "" if the field has no options.

        Raises WrongSetting if the text is not one of the options, unless the field is ``free``.
        """
        if not self.options:
            return text.strip()[:200]
        names, text = [name for name, _ in self.options], text.strip()
        if self.free:
            return text[:200] or names[0]
        if text and text not in names:
            raise WrongSetting(
                f"{self.label} cannot be {text[:20]!r}.", f"Choose one of: {', '.join(names)}."
            )
        return text or names[0]


Field = Number | Choice
Settings = dict[str, str | int | float | list[str] | None]


def read_settings(fields: Sequence[Field], given: Mapping[str, str]) -> Settings:
    """Return field name → value, parsed from the given texts. Raises WrongSetting for the first invalid value."""
    return {field.name: field.read(given.get(field.name, "")) for field in fields}
