"""Starts the web server and the embedded parts, and protects files from other accounts of the machine."""
