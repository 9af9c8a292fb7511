"""A campaign before anybody works: its settings, texts, pairs, gold pairs, postings, cost and rehearsal copy."""
