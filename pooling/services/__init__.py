"""The services of pooling: load rows, call pure functions, save."""
