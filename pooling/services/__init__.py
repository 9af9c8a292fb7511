"""The services of pooling. They load rows, call pure functions and save the results."""
