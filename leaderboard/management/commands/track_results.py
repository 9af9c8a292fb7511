"""`manage.py track_results`: short for `manage.py analyse track_results`."""

from leaderboard.management.kind_command import command_of

Command = command_of("track_results")
