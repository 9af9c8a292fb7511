"""The scale of a graded campaign: its levels with their definitions."""

from collections.abc import Sequence
from dataclasses import dataclass

from judging.errors import BadInput
from judging.rules.worker_sentences import gettext_noop as _

MOST_LEVELS = 10  # one key for each level
FORM = "Write each level on a line, the lowest first: NAME | DEFINITION, or NAME | DEFINITION | EXAMPLE."


@dataclass(frozen=True)
class Level:
    """A level of a scale. Its grade is its position in the scale, counted from 0."""

    name: str
    definition: str
    example: str = ""


#: The four levels of the TREC Deep Learning tracks (Craswell et al., *Overview of the TREC 2022 Deep Learning
#: track*, section 2.1). The examples are Preferee's.
FOUR_LEVELS = (
    Level(
        _("Irrelevant"),
        _("The passage has nothing to do with the query."),
        _("For “how long do cats live”: a passage about the largest dog breeds."),
    ),
    Level(
        _("Related"),
        _("The passage seems related to the query but does not answer it."),
        _("For “how long do cats live”: a passage about feeding an old cat."),
    ),
    Level(
        _("Highly relevant"),
        _(
            "The passage has some answer for the query, but the answer may be a bit unclear, or hidden amongst "
            "extraneous information."
        ),
        _(
            "For “how long do cats live”: a long passage about keeping pets that says in passing that many cats "
            "reach 15."
        ),
    ),
    Level(
        _("Perfectly relevant"),
        _("The passage is dedicated to the query and contains the exact answer."),
        _("For “how long do cats live”: “Cats that live indoors usually reach 12 to 18 years.”"),
    ),
)
#: The same levels as earlier campaigns stored them, without examples.
_WITHOUT_EXAMPLES = tuple(Level(level.name, level.definition) for level in FOUR_LEVELS)


def is_default(levels: Sequence[Level]) -> bool:
    """Return whether these are the default levels (:data:`FOUR_LEVELS`), with or without their examples."""
    return tuple(levels) in (FOUR_LEVELS, _WITHOUT_EXAMPLES)


def parse_scale(text: str, name: str = "the scale") -> tuple[Level, ...]:
    """Parse a scale with one level per line, in the format of :data:`FORM`; ``name`` is its name in errors.

    Raises BadInput, with the line number unless the number of levels is wrong.
    """
    levels: list[Level] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        parts = [part.strip() for part in line.split("|")]
        if not 2 <= len(parts) <= 3 or not parts[0] or not parts[1]:
            raise BadInput(f"{name}, line {number}: expected a level and its definition.", FORM)
        if any(parts[0] == level.name for level in levels):
            raise BadInput(f"{name}, line {number}: there is already a level {parts[0]!r}.", FORM)
        levels.append(Level(*parts))
    if not 2 <= len(levels) <= MOST_LEVELS:
        raise BadInput(f"{name}: a scale has between 2 and {MOST_LEVELS} levels, not {len(levels)}.", FORM)
    return tuple(levels)


def scale_text(levels: tuple[Level, ...]) -> str:
    """Return the scale in the form that :func:`parse_scale` reads."""
    return "\n".join(
        " | ".join(filter(None, (level.name, level.definition, level.example))) for level in levels
    )
