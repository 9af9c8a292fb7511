"""Who may what in a collection: the one table. Pure; who has which role is asked in pooling.services.members.

An administrator of the installation (Django's superuser) may everything. Somebody without a role is the public,
who may ``see`` what is published and nothing else.
"""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """What somebody is in a collection."""

    OWNER = "owner"
    MAINTAINER = "maintainer"
    MANAGER = "manager"
    VIEWER = "viewer"

    @property
    def words(self) -> str:
        """The role as people say it."""
        return "campaign manager" if self is Role.MANAGER else str(self)


CHOICES = [(role.value, role.words) for role in Role]

_MEMBERS = frozenset(Role)
_RUNS = frozenset({Role.OWNER, Role.MAINTAINER})
_MONEY = frozenset({Role.OWNER, Role.MANAGER})
_OWNERS = frozenset({Role.OWNER})

#: Action → the roles that may do it. What is here for nobody is for administrators.
ACTIONS: dict[str, frozenset[Role]] = {
    # Everything that is not released: private runs, all passages, reasons of exclusions, the activity log.
    "see everything": _MEMBERS,
    "see members": _MEMBERS,
    "export judgments": _MEMBERS,
    "plan challenge": _MEMBERS,
    "upload run": _RUNS,
    "edit run": _RUNS,
    "add files": _RUNS,
    "score": _RUNS,
    # A challenge asks people within what its campaign may spend; agreeing to more money takes "spend money" too.
    "open challenge": _RUNS,
    "publish version": _RUNS,
    "describe collection": _RUNS,
    "prepare campaign": _MONEY,
    "launch campaign": _MONEY,
    "steer campaign": _MONEY,
    "spend money": _MONEY,
    "judge workers": _MONEY,
    "delete bundle": _OWNERS,
    "change members": _OWNERS,
    "change visibility": _OWNERS,
    # What a board asks of teams, and which results it keeps from them: rules that bind maintainers, too.
    "set policy": _OWNERS,
    "split queries": _OWNERS,
    # Whoever is told what happens in a collection learns of its private runs.
    "manage webhooks": _OWNERS,
}


def permits(role: Role | None, action: str) -> bool:
    """Whether the role may do it. Raises KeyError for an action that is not in the table."""
    return role in ACTIONS[action]
