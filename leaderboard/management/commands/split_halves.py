"""`manage.py split_halves`: short for `manage.py analyse split_halves`."""

from leaderboard.management.kind_command import command_of

Command = command_of("split_halves")
