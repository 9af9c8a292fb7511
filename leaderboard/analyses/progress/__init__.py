"""The leaderboard over time: which runs were state of the art, and which steps were significant."""
