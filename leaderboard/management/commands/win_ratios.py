"""`manage.py win_ratios`: short for `manage.py analyse win_ratios`."""

from leaderboard.management.kind_command import command_of

Command = command_of("win_ratios")
