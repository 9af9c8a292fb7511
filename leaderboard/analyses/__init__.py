"""One package per analysis: its pure computation, its tables and figures, and its fields.

``registry`` lists the analyses for pages, commands and API calls; ``runner`` computes and stores their results.
``shared`` contains code that several analyses use. This package imports ``board`` and ``scoring``.
"""
