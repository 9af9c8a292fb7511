"""The marketplace's own rules for tasks, names, languages and money."""
