"""Whether labels can be reused: density of relevant passages, unjudged passages and left-out runs."""
