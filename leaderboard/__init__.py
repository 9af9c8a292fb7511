"""Measures, boards and analyses of runs under labels. Imports rooms up to tournament."""
