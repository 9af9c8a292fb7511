"""`manage.py assessor_agreement`: short for `manage.py analyse assessor_agreement`."""

from leaderboard.analyses.assessor_agreement.kind import KIND
from leaderboard.management.kind_command import KindCommand


class Command(KindCommand, kind=KIND):
    pass
