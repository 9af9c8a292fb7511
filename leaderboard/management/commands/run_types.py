"""`manage.py run_types`: short for `manage.py analyse run_types`."""

from leaderboard.management.kind_command import command_of

Command = command_of("run_types")
