"""Files that people send or name: checked, stored, and imported as collections, runs and labels."""
