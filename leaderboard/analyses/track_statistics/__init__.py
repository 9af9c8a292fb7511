"""Who submitted what to a track: groups and runs by task and type."""
