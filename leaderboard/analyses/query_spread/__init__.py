"""How the values of all runs spread on each query."""
