"""`manage.py split_halves`: short for `manage.py analyse split_halves`."""

from leaderboard.analyses.split_halves.kind import KIND
from leaderboard.management.kind_command import KindCommand


class Command(KindCommand, kind=KIND):
    pass
