"""The runs of an analysis with their types and teams, and announced runs if requested."""

from collections.abc import Sequence

from leaderboard.analyses.kinds import Asked
from leaderboard.errors import MembersOnly, NothingToScore, WrongSetting
from pooling.models import AnnouncedRun, Collection, Run
from pooling.rules.run_details import Detail, KnownRun, value_in_words
from pooling.runs.run_metadata import known_runs
from pooling.teams.run_fields import known_details

#: The type of a run whose description does not name one.
UNKNOWN = "not said"


def types_of(collection: Collection, runs: Sequence[Run], by: str) -> tuple[Detail, list[str]]:
    """Return the run detail named ``by``, and each run's value for it in words.

    Raises WrongSetting if the collection has no such detail.
    """
    known = known_details(collection)
    if by not in known:
        raise WrongSetting(f"Unknown run detail {by[:60]!r}.", f"Choose one of: {', '.join(known)}.")
    said = [run.details.get(by) for run in runs]
    return known[by], [UNKNOWN if value is None else value_in_words(known[by], value) for value in said]


def groups_to_leave_out(runs: Sequence[Run], *, by_team: bool) -> dict[str, list[int]]:
    """Return group name → indexes of its runs.

    Each group is one run or, with ``by_team``, all runs of a team. A run without a team is always a group of its own.
    """
    groups: dict[str, list[int]] = {}
    for place, run in enumerate(runs):
        groups.setdefault(f"team {run.team}" if by_team and run.team else run.run_tag, []).append(place)
    return groups


def described_runs(asked: Asked) -> list[KnownRun]:
    """Return the chosen runs with their descriptions, and announced runs if requested.

    Raises MembersOnly if non-members request announced runs, and NothingToScore if there are no runs.
    """
    announced = AnnouncedRun.objects.none()
    if asked.text("announced"):
        if asked.released:
            raise MembersOnly("Announced runs are shown to members only.", "Leave them out.")
        announced = AnnouncedRun.objects.filter(collection=asked.collection, run=None)
    found = known_runs(asked.runs, announced)
    if not found:
        raise NothingToScore(
            f"{asked.collection.name} has no runs.", "Upload runs, or include announced runs."
        )
    return found
