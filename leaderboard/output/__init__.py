"""Results as tables and figures, in every form a paper, a program or a person wants them.

An analysis is frozen data: tables and figures that state what they were made from (:class:`Facts`). What
they become is in one module a form: ``latex``, ``markdown``, ``commas`` (CSV), ``content`` (JSON), ``terminal``
and ``drawing`` (SVG, PDF, PNG). Commands derive from ``command.AnalysisCommand`` and get all options.
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
