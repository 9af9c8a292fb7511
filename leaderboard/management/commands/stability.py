"""`manage.py stability`: short for `manage.py analyse stability`."""

from leaderboard.management.kind_command import command_of

Command = command_of("stability")
