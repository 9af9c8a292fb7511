"""A task in a worker's hands: leases, displayed pairs, answers, repeats, time left."""
