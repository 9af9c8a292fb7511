"""How runs of different types perform, and whether the best run of a type wins on every query."""
