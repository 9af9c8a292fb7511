"""Code that several features share: visibility, links to the next step, tables, files."""
