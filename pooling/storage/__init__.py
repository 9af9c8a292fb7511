"""Rows in bulk, stored rankings, buckets, and limits of compressed files."""
