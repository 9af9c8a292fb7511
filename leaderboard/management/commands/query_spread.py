"""`manage.py query_spread`: short for `manage.py analyse query_spread`."""

from leaderboard.analyses.query_spread.kind import KIND
from leaderboard.management.kind_command import KindCommand


class Command(KindCommand, kind=KIND):
    pass
