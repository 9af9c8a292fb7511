"""How often people prefer a run's passages to the known relevant ones."""
