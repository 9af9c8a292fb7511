"""The runs of an analysis as their descriptions have them, with announced ones if asked."""

from __future__ import annotations

from leaderboard.analyses.kinds import Asked
from leaderboard.errors import MembersOnly, NothingToScore
from pooling.models import AnnouncedRun
from pooling.run_details import KnownRun
from pooling.services.run_metadata import known_runs


def described_runs(asked: Asked) -> list[KnownRun]:
    """Return the chosen runs, and announced runs if asked. Raises MembersOnly, NothingToScore."""
    announced = AnnouncedRun.objects.none()
    if asked.text("announced"):
        if asked.released:
            raise MembersOnly("Announced runs are shown to members only.", "Leave them out.")
        announced = AnnouncedRun.objects.filter(collection=asked.collection, run=None)
    found = known_runs(asked.runs, announced)
    if not found:
        raise NothingToScore(f"{asked.collection.name} has no runs.", "Upload some, or count announced runs.")
    return found
