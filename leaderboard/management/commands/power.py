"""`manage.py power`: short for `manage.py analyse power`."""

from leaderboard.management.kind_command import command_of

Command = command_of("power")
