"""The home page (what needs attention, leaderboards, campaigns, collections) and the invitation page."""
