"""Code shared by analyses: the compared passages of a campaign, shares with intervals, and combinations of labels."""
