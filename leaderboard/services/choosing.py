"""Which runs and which qrel set are meant."""

from __future__ import annotations

from collections.abc import Sequence

from leaderboard.errors import NothingToScore, UnknownLabels
from pooling.models import Collection, QrelSet, Run
from pooling.services.finding import qrel_set_named, runs_tagged


def chosen_runs(collection: Collection, run_tags: Sequence[str] = ()) -> list[Run]:
    """The runs of these tags, or all runs of the collection by tag. Raises :class:`NothingToScore`."""
    runs = runs_tagged(collection, run_tags or None)
    if not runs:
        raise NothingToScore(f"{collection.name} has no runs.", "Import some: manage.py import_runs")
    return runs


def official_set(collection: Collection, name: str | None = None) -> QrelSet:
    """The qrel set of this name; without one, the collection's first official set, else its first set."""
    if name:
        return qrel_set_named(collection, name)
    sets = list(QrelSet.objects.filter(collection=collection).order_by("pk"))
    if not sets:
        raise UnknownLabels(f"{collection.name} has no qrel set.", "Import one: manage.py import_qrels")
    official = [qrel_set for qrel_set in sets if qrel_set.kind == QrelSet.Kind.OFFICIAL]
    return (official or sets)[0]
