"""`manage.py better_than_perfect`: short for `manage.py analyse better_than_perfect`."""

from leaderboard.analyses.better_than_perfect.kind import KIND
from leaderboard.management.kind_command import KindCommand


class Command(KindCommand, kind=KIND):
    pass
