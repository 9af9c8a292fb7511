"""`manage.py label_noise`: short for `manage.py analyse label_noise`."""

from leaderboard.management.kind_command import command_of

Command = command_of("label_noise")
