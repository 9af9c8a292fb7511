"""`manage.py power`: short for `manage.py analyse power`."""

from leaderboard.analyses.power.kind import KIND
from leaderboard.management.kind_command import KindCommand


class Command(KindCommand, kind=KIND):
    pass
