"""`manage.py label_disagreement`: short for `manage.py analyse label_disagreement`."""

from leaderboard.analyses.label_disagreement.kind import KIND
from leaderboard.management.kind_command import KindCommand


class Command(KindCommand, kind=KIND):
    pass
