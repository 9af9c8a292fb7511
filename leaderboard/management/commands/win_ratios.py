"""`manage.py win_ratios`: short for `manage.py analyse win_ratios`."""

from leaderboard.analyses.win_ratios.kind import KIND
from leaderboard.management.kind_command import KindCommand


class Command(KindCommand, kind=KIND):
    pass
