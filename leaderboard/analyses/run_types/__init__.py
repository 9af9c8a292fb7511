"""How runs of different types do, and whether the best of a type wins everywhere."""
