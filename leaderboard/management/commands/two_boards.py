"""`manage.py two_boards`: short for `manage.py analyse two_boards`."""

from leaderboard.management.kind_command import command_of

Command = command_of("two_boards")
