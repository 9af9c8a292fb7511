"""`manage.py label_noise`: short for `manage.py analyse label_noise`."""

from leaderboard.analyses.label_noise.kind import KIND
from leaderboard.management.kind_command import KindCommand


class Command(KindCommand, kind=KIND):
    pass
