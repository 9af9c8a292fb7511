"""Collections, their members and passages, runs, relevance labels and pools. Imports accounts and config."""
