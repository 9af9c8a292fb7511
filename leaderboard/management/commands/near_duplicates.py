"""`manage.py near_duplicates`: short for `manage.py analyse near_duplicates`."""

from leaderboard.analyses.near_duplicates.kind import KIND
from leaderboard.management.kind_command import KindCommand


class Command(KindCommand, kind=KIND):
    pass
