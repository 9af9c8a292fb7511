"""How runs of different types perform, and whether the best of a type wins everywhere."""
