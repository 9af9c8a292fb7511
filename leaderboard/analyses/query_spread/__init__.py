"""How widely the values of all runs are spread on each query."""
