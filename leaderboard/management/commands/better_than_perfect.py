"""`manage.py better_than_perfect`: short for `manage.py analyse better_than_perfect`."""

from leaderboard.management.kind_command import command_of

Command = command_of("better_than_perfect")
