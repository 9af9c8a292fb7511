"""`manage.py compare`: short for `manage.py analyse compare`."""

from leaderboard.analyses.compare.kind import KIND
from leaderboard.management.kind_command import KindCommand


class Command(KindCommand, kind=KIND):
    pass
