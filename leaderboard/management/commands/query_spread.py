from leaderboard.management.kind_command import command_of

Command = command_of("query_spread")
