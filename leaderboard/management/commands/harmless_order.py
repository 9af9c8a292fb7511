"""`manage.py harmless_order`: short for `manage.py analyse harmless_order`."""

from leaderboard.management.kind_command import command_of

Command = command_of("harmless_order")
