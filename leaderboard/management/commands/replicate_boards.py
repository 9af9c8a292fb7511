"""`manage.py replicate_boards`: short for `manage.py analyse replicate_boards`."""

from leaderboard.analyses.replicates.kind import KIND
from leaderboard.management.kind_command import KindCommand


class Command(KindCommand, kind=KIND):
    pass
