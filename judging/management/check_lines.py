"""Checks before a launch as commands print them."""

from __future__ import annotations

from judging.services.checked import Checked


def in_a_line(check: Checked) -> str:
    """A check that passed, with an exclamation mark where somebody should think about it, and what to do."""
    line = f"  {'!' if check.attention else '✓'} {check}"
    return f"{line}. {check.next_step}" if check.next_step else line
