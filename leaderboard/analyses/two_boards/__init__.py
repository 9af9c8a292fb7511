"""Two boards of the same runs, under any two labels or measures."""
