"""`manage.py label_disagreement`: short for `manage.py analyse label_disagreement`."""

from leaderboard.management.kind_command import command_of

Command = command_of("label_disagreement")
