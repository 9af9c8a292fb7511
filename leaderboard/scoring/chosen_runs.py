"""Find the runs, the qrel set and the version that a caller names."""

from collections.abc import Sequence

from config.guidance import Action
from leaderboard.errors import NothingToScore, UnknownLabels
from pooling.collections.lookups import qrel_set_named, runs_tagged
from pooling.models import Collection, QrelSet, Run
from tournament.models import QrelVersion
from tournament.services.publication import version_numbered


def chosen_runs(collection: Collection, run_tags: Sequence[str] = ()) -> list[Run]:
    """Return the runs with these tags, or all runs of the collection, sorted by tag.

    Raises NothingToScore if there are no runs.
    """
    runs = runs_tagged(collection, run_tags or None)
    refuse_no_runs(collection, runs)
    return runs


def refuse_no_runs(collection: Collection, runs: Sequence[Run]) -> None:
    """Raise NothingToScore if there are no runs."""
    if not runs:
        raise NothingToScore(f"{collection.name} has no runs.", Action("import_runs", lead="Import some"))


def official_set(collection: Collection, name: str | None = None) -> QrelSet:
    """Return the qrel set with this name (default: the leaderboard's set).

    Raises UnknownLabels if the collection has no qrel set, and NotFound if it has none of this name.
    """
    if name:
        return qrel_set_named(collection, name)
    default = collection.default_labels()
    if default is None:
        raise UnknownLabels(f"{collection.name} has no qrel set.", Action("import_qrels", lead="Import one"))
    return default


def board_version(
    collection: Collection, number: int | None, *, labels_alone: bool = False
) -> QrelVersion | None:
    """Return the version of the preference qrels for a board: the version with this number, or the latest.

    Returns None if there is no version yet, or if only the official labels are requested. Raises NoSuchVersion if no
    version has this number.
    """
    if labels_alone:
        return None
    if number is None and not QrelVersion.objects.filter(collection=collection).exists():
        return None
    return version_numbered(collection, number)
