"""`manage.py private_board`: short for `manage.py analyse private_board`."""

from leaderboard.analyses.private_board.kind import KIND
from leaderboard.management.kind_command import KindCommand


class Command(KindCommand, kind=KIND):
    pass
