"""Reads the files of the field (runs, qrels, passages, tables) and reports problems by line; pure."""
