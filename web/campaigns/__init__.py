"""A launched campaign: its page with progress and next steps, gold pairs, differences, judgments."""
