"""The documents as pages."""
