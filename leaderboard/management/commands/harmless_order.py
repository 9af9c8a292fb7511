"""`manage.py harmless_order`: short for `manage.py analyse harmless_order`."""

from leaderboard.analyses.harmless_order.kind import KIND
from leaderboard.management.kind_command import KindCommand


class Command(KindCommand, kind=KIND):
    pass
