"""`manage.py preference_grades`: short for `manage.py analyse preference_grades`."""

from leaderboard.analyses.preference_grades.kind import KIND
from leaderboard.management.kind_command import KindCommand


class Command(KindCommand, kind=KIND):
    pass
