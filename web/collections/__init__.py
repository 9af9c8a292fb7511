"""Collections, their files and their members."""
