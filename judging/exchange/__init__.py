"""Exchange with a crowd: calls as intents, recovered places, limits on lookups, signed tokens."""
