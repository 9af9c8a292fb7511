"""Two boards of the same runs, under any two sets of labels or by any two measures."""
