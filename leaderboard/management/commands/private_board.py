"""`manage.py private_board`: short for `manage.py analyse private_board`."""

from leaderboard.management.kind_command import command_of

Command = command_of("private_board")
