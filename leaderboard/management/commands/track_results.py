"""`manage.py track_results`: short for `manage.py analyse track_results`."""

from leaderboard.analyses.track_results.kind import KIND
from leaderboard.management.kind_command import KindCommand


class Command(KindCommand, kind=KIND):
    pass
