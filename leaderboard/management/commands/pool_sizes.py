"""`manage.py pool_sizes`: short for `manage.py analyse pool_sizes`."""

from leaderboard.management.kind_command import command_of

Command = command_of("pool_sizes")
