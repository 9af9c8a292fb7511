"""How much of the board depends on who happened to judge."""
