"""Pure rules: shallow pools, near-duplicates, features of texts, fields of runs, rounds."""
