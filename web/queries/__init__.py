"""The queries of a collection: pooled passages, judgments, and how well runs answer each query."""
