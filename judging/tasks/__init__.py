"""Tasks while workers do them: leases, displayed pairs, answers, repeats, time left."""
