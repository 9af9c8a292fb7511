"""`manage.py pool_bias`: short for `manage.py analyse pool_bias`."""

from leaderboard.analyses.pool_bias.kind import KIND
from leaderboard.management.kind_command import KindCommand


class Command(KindCommand, kind=KIND):
    pass
