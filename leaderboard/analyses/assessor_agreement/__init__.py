"""How well two assessors agree on the passages that both graded."""
