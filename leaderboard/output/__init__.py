"""Results as tables and figures, in every format that a paper, a program or a reader needs.

An analysis is immutable data: tables and figures that state their inputs (:class:`Facts`). Each output format has
its own module: ``latex``, ``markdown``, ``csv_tables``, ``content`` (JSON), ``terminal`` and ``drawing`` (SVG, PDF,
PNG). Commands derive from ``command.AnalysisCommand`` to get the options for all formats.
"""

from leaderboard.output.table import (
    Analysis,
    Column,
    Facts,
    Figure,
    Interval,
    Kind,
    Row,
    Table,
    Value,
)

__all__ = ["Analysis", "Column", "Facts", "Figure", "Interval", "Kind", "Row", "Table", "Value"]
