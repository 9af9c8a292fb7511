from leaderboard.management.kind_command import command_of

Command = command_of("preference_grades")
