"""What pages show: rows of several rooms put together. Rules stay in the rooms; who sees what is here."""
