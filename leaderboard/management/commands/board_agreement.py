"""`manage.py board_agreement`: short for `manage.py analyse board_agreement`."""

from leaderboard.management.kind_command import command_of

Command = command_of("board_agreement")
