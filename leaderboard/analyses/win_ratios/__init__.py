"""How often one run's top passage was preferred to another's."""
