"""How often random halves of the queries agree on two runs, test by test."""
