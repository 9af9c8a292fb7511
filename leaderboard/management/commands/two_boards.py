"""`manage.py two_boards`: short for `manage.py analyse two_boards`."""

from leaderboard.analyses.two_boards.kind import KIND
from leaderboard.management.kind_command import KindCommand


class Command(KindCommand, kind=KIND):
    pass
