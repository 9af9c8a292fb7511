"""How well judges agree on pairs judged more than once, and whether they prefer a side."""
