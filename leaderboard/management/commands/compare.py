"""`manage.py compare`: short for `manage.py analyse compare`."""

from leaderboard.management.kind_command import command_of

Command = command_of("compare")
