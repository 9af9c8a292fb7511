"""Pages across rooms: each reads the address, asks one service and shows the outcome."""
