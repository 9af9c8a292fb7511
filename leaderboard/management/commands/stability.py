"""`manage.py stability`: short for `manage.py analyse stability`."""

from leaderboard.analyses.stability.kind import KIND
from leaderboard.management.kind_command import KindCommand


class Command(KindCommand, kind=KIND):
    pass
