"""Checks before a launch as commands print them."""

from __future__ import annotations

from judging.services.check_list import Checked


def in_a_line(check: Checked) -> str:
    """A check that passed, with an exclamation mark where somebody should think about it."""
    return f"  {'!' if check.attention else '✓'} {check}"
