"""What judging does: one verb a function, one transaction each."""
