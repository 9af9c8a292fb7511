"""Record for whom a run file is sent, and check that its sender may still submit it."""

from typing import Any

from accounts.models import User
from pooling.collections.members import may
from pooling.errors import UploadRefused
from pooling.models import Collection, RunUpload, Team
from pooling.teams.rounds import Entry
from pooling.teams.teams import team_of


def sender_values(user: User, collection: Collection) -> dict[str, Any]:
    """Return the fields of a new upload that record its sender's role: a member, or the person's team."""
    member = may(user, "upload run", collection)
    return {"sent_as_member": member, "team": None if member else team_of(user, collection)}


def entry_of(upload: RunUpload) -> Entry | None:
    """Return the upload as a team's own submission; None if a member sent it.

    Raises UploadRefused if the sender may no longer submit it in that role. Otherwise somebody who leaves a team
    while a file waits would evade the rules for teams.
    """
    user, collection = upload.user, upload.collection
    if user is None or not may(user, "submit run", collection):
        raise UploadRefused(
            "The sender may no longer submit runs to this collection.",
            "Ask an owner for a role. Then send the file again.",
        )
    member = may(user, "upload run", collection)
    if upload.sent_as_member is None:  # sent before this was recorded: today's role counts
        team = None if member else team_of(user, collection)
        return _entry(upload, team) if team else None
    if not upload.sent_as_member:
        return _entry(upload, _team_still(upload, user))
    if not member:
        raise UploadRefused(
            "The file was sent by a member, and the sender may no longer add runs as a member.",
            "Send the file again for your team.",
        )
    return None


def _team_still(upload: RunUpload, user: User) -> Team:
    """Return the team for which the file was sent. Raises UploadRefused if the sender is no longer in it."""
    if upload.team is None or team_of(user, upload.collection) != upload.team:
        name = upload.team.name if upload.team else "a former team"
        raise UploadRefused(
            f"The file was sent for {name}, and the sender is no longer in this team.",
            "Ask somebody in the team to send it, or send it again for your own team.",
        )
    return upload.team


def _entry(upload: RunUpload, team: Team) -> Entry:
    return Entry(team, upload.arrived_at or upload.created_at)
