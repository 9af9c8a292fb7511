"""The database engine for PostgreSQL."""
