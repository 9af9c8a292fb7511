"""`manage.py pool_bias`: short for `manage.py analyse pool_bias`."""

from leaderboard.management.kind_command import command_of

Command = command_of("pool_bias")
