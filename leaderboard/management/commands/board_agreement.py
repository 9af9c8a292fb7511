"""`manage.py board_agreement`: short for `manage.py analyse board_agreement`."""

from leaderboard.analyses.board_agreement.kind import KIND
from leaderboard.management.kind_command import KindCommand


class Command(KindCommand, kind=KIND):
    pass
