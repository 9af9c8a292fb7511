"""A campaign's payments: refused and held pay, top-ups."""
