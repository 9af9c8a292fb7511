"""`manage.py pool_sizes`: short for `manage.py analyse pool_sizes`."""

from leaderboard.analyses.pool_sizes.kind import KIND
from leaderboard.management.kind_command import KindCommand


class Command(KindCommand, kind=KIND):
    pass
