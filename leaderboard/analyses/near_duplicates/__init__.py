"""Labels and boards with near-duplicates counted once, and with all of them."""
