"""What pooling does: load rows, call pure code, save. One module a noun."""
