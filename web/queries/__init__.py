"""The queries of a collection: what was pooled and judged for each, and how well runs answer it."""
