"""`manage.py judge_agreement`: short for `manage.py analyse judge_agreement`."""

from leaderboard.analyses.judge_agreement.kind import KIND
from leaderboard.management.kind_command import KindCommand


class Command(KindCommand, kind=KIND):
    pass
