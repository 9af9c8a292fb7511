"""The API below `/api/v1/`: the services behind the pages, with the same permissions, for scripts."""
