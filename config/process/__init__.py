"""Start processes: the embedded parts, the web server, and files that other accounts must not read."""
