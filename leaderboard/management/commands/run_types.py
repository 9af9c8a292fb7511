"""`manage.py run_types`: short for `manage.py analyse run_types`."""

from leaderboard.analyses.run_types.kind import KIND
from leaderboard.management.kind_command import KindCommand


class Command(KindCommand, kind=KIND):
    pass
