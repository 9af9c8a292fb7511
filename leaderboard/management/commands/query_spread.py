"""`manage.py query_spread`: short for `manage.py analyse query_spread`."""

from leaderboard.management.kind_command import command_of

Command = command_of("query_spread")
