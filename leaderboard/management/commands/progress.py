"""`manage.py progress`: short for `manage.py analyse progress`."""

from leaderboard.analyses.progress.kind import KIND
from leaderboard.management.kind_command import KindCommand


class Command(KindCommand, kind=KIND):
    pass
