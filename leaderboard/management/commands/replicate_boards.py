"""`manage.py replicate_boards`: short for `manage.py analyse replicate_boards`."""

from leaderboard.management.kind_command import command_of

Command = command_of("replicate_boards")
