"""The API under `/api/v1/`: the services behind the pages, with the same permissions, for scripts."""
