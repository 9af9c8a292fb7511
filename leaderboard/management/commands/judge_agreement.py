"""`manage.py judge_agreement`: short for `manage.py analyse judge_agreement`."""

from leaderboard.management.kind_command import command_of

Command = command_of("judge_agreement")
