"""`manage.py reusability`: short for `manage.py analyse reusability`."""

from leaderboard.analyses.reusability.kind import KIND
from leaderboard.management.kind_command import KindCommand


class Command(KindCommand, kind=KIND):
    pass
