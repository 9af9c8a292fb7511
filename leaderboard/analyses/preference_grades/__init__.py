"""Whether the preferred passage of a pair has the higher grade."""
