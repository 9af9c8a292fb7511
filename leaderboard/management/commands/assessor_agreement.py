"""`manage.py assessor_agreement`: short for `manage.py analyse assessor_agreement`."""

from leaderboard.management.kind_command import command_of

Command = command_of("assessor_agreement")
