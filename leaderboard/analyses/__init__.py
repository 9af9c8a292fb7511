"""One package per analysis: its pure computation, its tables and figures, and its fields.

``registry`` lists them for pages, commands and API calls; ``runner`` computes and stores them. Imports ``board`` and
``scoring``; ``shared`` contains code that several analyses use.
"""
