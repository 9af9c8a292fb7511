"""Pictures of every page: ``python -m tests.screenshots``."""
