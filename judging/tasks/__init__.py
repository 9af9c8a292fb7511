"""Tasks while workers do them: leases, displayed pairs, choices, repeated pairs, and time left."""
