"""The services of pooling: load rows, call pure code, save."""
