"""A self-hosted crowd site with its own settings, process and database. Imports no other room."""
