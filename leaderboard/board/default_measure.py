"""The measures that a leaderboard offers, and the measure that it uses unless a reader chooses another."""

from leaderboard.board.standings import DEPTH
from leaderboard.errors import UnknownMeasure
from leaderboard.scoring.measure_names import parse_measure
from pooling.collections.collection_details import change_fields
from pooling.models import Collection

MEASURE = f"RR@{DEPTH}"
#: The measures that pages offer. An address can name any other measure that the measures module defines.
MEASURES = (
    MEASURE,
    "RR@100",
    "AP",
    "nDCG@10",
    "P@10",
    "R@100",
    "NCG@100",
    "ERR@20",
    "Success@10",
    "ESL@10",
    "Compat(p=0.95)",
)
#: The measures allowed under withheld labels. Other cutoffs, and values above 1, would reveal more about the labels.
USUAL = tuple(name for name in MEASURES if parse_measure(name).higher_is_better)


def is_usual(measure: str) -> bool:
    """Return whether the measure is one of ``USUAL``, in any spelling. Raises UnknownMeasure."""
    return parse_measure(measure) in map(parse_measure, USUAL)


def default_measure(collection: Collection) -> str:
    """Return the measure that was set for the collection's leaderboard, if it is allowed, else RR@10.

    If labels are withheld, only the measures in ``USUAL`` are allowed.
    """
    measure = collection.board_measure
    return measure if measure and _is_shown_to_everybody(collection, measure) else MEASURE


def checked_default(collection: Collection, name: str) -> str:
    """Return the canonical name of the measure if it can be the default, else raise UnknownMeasure.

    Higher values must be better. Withheld labels allow only the measures in ``USUAL``, because every reader sees the
    default board.
    """
    measure = parse_measure(name)
    if not measure.higher_is_better:
        why = "lower values are better"
    elif not _is_shown_to_everybody(collection, measure.name):
        why = "labels are withheld"
    else:
        return measure.name
    raise UnknownMeasure(
        f"{name!r} cannot be the leaderboard's default measure, because {why}.",
        f"Choose one of: {', '.join(USUAL)}.",
    )


def _is_shown_to_everybody(collection: Collection, measure: str) -> bool:
    return measure in USUAL or not collection.qrel_sets.filter(withheld=True).exists()


def set_default_measure(*, collection: Collection, name: str, who: str) -> bool:
    """Set the leaderboard's default measure, and return whether it changed.

    Raises UnknownMeasure if the measure cannot be the default.
    """
    measure = checked_default(collection, name)
    before = default_measure(collection)
    if measure == before:
        return False
    said = f"{measure} set as the leaderboard's default measure (before: {before})"
    change_fields(collection, said, who=who, board_measure=measure)
    return True
