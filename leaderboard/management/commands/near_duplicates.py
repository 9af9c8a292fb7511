"""`manage.py near_duplicates`: short for `manage.py analyse near_duplicates`."""

from leaderboard.management.kind_command import command_of

Command = command_of("near_duplicates")
