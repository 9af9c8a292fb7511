"""How large the pools of queries are."""
