"""How stable each rank is if the queries are resampled."""
