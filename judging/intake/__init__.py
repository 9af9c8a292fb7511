"""Intake of work: places offered, submissions collected, screened and repeated."""
