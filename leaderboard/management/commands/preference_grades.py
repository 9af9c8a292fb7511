"""`manage.py preference_grades`: short for `manage.py analyse preference_grades`."""

from leaderboard.management.kind_command import command_of

Command = command_of("preference_grades")
