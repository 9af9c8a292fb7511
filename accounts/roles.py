"""The only table of what each role permits in a collection. pooling.collections.members stores people's roles.

An administrator of the installation (Django's superuser) can do anything. A person without a role can only see
published results.
"""

from enum import StrEnum


class Role(StrEnum):
    """A person's role in a collection."""

    OWNER = "owner"
    MAINTAINER = "maintainer"
    MANAGER = "manager"
    VIEWER = "viewer"
    ASSESSOR = "assessor"
    """Judges topics of graded campaigns. Sees only public runs and labels, because others would bias the grades."""
    SUBMITTER = "submitter"
    """Submits runs for a team. Is not a member, so sees only released results and the team's own runs."""

    @property
    def words(self) -> str:
        """The role's name for people, such as ``campaign manager``."""
        return "campaign manager" if self is Role.MANAGER else str(self)


_MEMBERS = frozenset(Role) - {Role.SUBMITTER, Role.ASSESSOR}
#: The roles that an owner can give on the members page. Submitters get theirs by belonging to a team.
CHOICES = [(role.value, role.words) for role in Role if role is not Role.SUBMITTER]
_RUNS = frozenset({Role.OWNER, Role.MAINTAINER})
_MONEY = frozenset({Role.OWNER, Role.MANAGER})
_OWNERS = frozenset({Role.OWNER})

#: Action → the roles that can do it. An empty set means administrators only.
ACTIONS: dict[str, frozenset[Role]] = {
    # Everything that is not released: private runs, all passages, reasons for exclusions, the activity log.
    "see everything": _MEMBERS,
    # Released runs, labels and leaderboards of a private collection; everybody sees those of a published one.
    "see results": _MEMBERS | {Role.SUBMITTER},
    "see members": _MEMBERS,
    "export judgments": _MEMBERS,
    "plan challenge": _MEMBERS,
    "upload run": _RUNS,
    # A submitter's run gets the name of the submitter's team. The submission policy and the dates of rounds apply.
    "submit run": _RUNS | {Role.SUBMITTER},
    "edit run": _RUNS,
    "add files": _RUNS,
    "score": _RUNS,
    # A challenge spends money within its campaign's budget. Approving more money also needs "spend money".
    "open challenge": _RUNS,
    "publish version": _RUNS,
    "describe collection": _RUNS,
    "prepare campaign": _MONEY,
    "launch campaign": _MONEY,
    "steer campaign": _MONEY,
    "spend money": _MONEY,
    "judge workers": _MONEY,
    # A graded campaign itself costs no money: assessors are paid elsewhere, crowd workers through a linked campaign.
    # An owner can assess in a small collection.
    "run grading": _RUNS | _MONEY,
    "assess": _OWNERS | {Role.ASSESSOR},
    "delete bundle": _OWNERS,
    "change members": _OWNERS,
    "manage teams": _OWNERS,
    "change visibility": _OWNERS,
    # A leaderboard's rules for submitted runs, and the results hidden from teams. The rules also bind maintainers.
    "set policy": _OWNERS,
    "split queries": _OWNERS,
    # Notifications about a collection reveal its private runs.
    "manage webhooks": _OWNERS,
}


def who_can(action: str) -> str:
    """Return the roles that permit the action, in words: ``an owner or a campaign manager``."""
    named = [
        f"{'an' if role in (Role.OWNER, Role.ASSESSOR) else 'a'} {role.words}"
        for role in Role
        if role in ACTIONS[action]
    ]
    return " or ".join(filter(None, [", ".join(named[:-1]), *named[-1:]]))


def permits(role: Role | None, action: str) -> bool:
    """Return whether the role permits the action. Raises KeyError for an action that is not in the table."""
    return role in ACTIONS[action]
