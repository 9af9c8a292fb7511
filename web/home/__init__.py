"""The home page, the site's lists (leaderboards, campaigns, collections) and the invitation page."""
