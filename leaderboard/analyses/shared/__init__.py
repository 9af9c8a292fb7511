"""Code shared by analyses: compared passages of a campaign, shares with intervals, combinations of labels."""
