"""The table of roles, compared with a copy written by hand."""

import pytest

from accounts.roles import ACTIONS, Role, permits


@pytest.mark.parametrize(
    ("role", "may"),
    [
        (None, ""),
        (Role.SUBMITTER, "see results, submit run"),
        (Role.ASSESSOR, "assess"),
        (Role.VIEWER, "see everything, see results, see members, export judgments, plan challenge"),
        (
            Role.MANAGER,
            "see everything, see results, see members, export judgments, plan challenge, prepare campaign, "
            "launch campaign, steer campaign, spend money, judge workers, run grading",
        ),
        (
            Role.MAINTAINER,
            "see everything, see results, see members, export judgments, plan challenge, upload run, submit run, "
            "edit run, add files, describe collection, score, open challenge, publish version, run grading",
        ),
        (Role.OWNER, ", ".join(ACTIONS)),
    ],
)
def test_what_a_role_permits(role, may):
    assert {action for action in ACTIONS if permits(role, action)} == set(filter(None, may.split(", ")))


def test_an_unknown_action_is_an_error():
    with pytest.raises(KeyError):
        permits(Role.OWNER, "fly")
