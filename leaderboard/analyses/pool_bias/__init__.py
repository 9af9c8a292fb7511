"""How a run would rank if the pool had been built without it or its team."""
