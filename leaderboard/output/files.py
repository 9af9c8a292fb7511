"""Write an analysis to files. Several tables of one analysis become several CSV files but one LaTeX file."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from config.commands.console import UsageError, write_result
from leaderboard.output.csv_tables import csv_table
from leaderboard.output.drawing import FORMATS, figure_image
from leaderboard.output.latex import latex_table
from leaderboard.output.markdown import markdown_table
from leaderboard.output.table import Analysis, Figure, Table

Thing = TypeVar("Thing", Table, Figure)


def write_csv(analysis: Analysis, path: Path) -> list[Path]:
    """Write one file per table: ``board.csv``, or ``board-KEY.csv`` for each table if there are several."""
    return [
        _write_file(where, csv_table(table).encode())
        for where, table in _part_paths(path, analysis.tables, lambda table: table.key)
    ]


def write_latex(analysis: Analysis, path: Path) -> list[Path]:
    return [_write_file(path, "\n".join(map(latex_table, analysis.tables)).encode())]


def write_markdown(analysis: Analysis, path: Path) -> list[Path]:
    """Write the sentences, then all tables, to one file."""
    parts = [*(f"{sentence}\n" for sentence in analysis.sentences), *map(markdown_table, analysis.tables)]
    return [_write_file(path, "\n".join(parts).encode())]


def write_figures(analysis: Analysis, path: Path) -> list[Path]:
    """Write one file per figure, in the format given by the file extension."""
    form = figure_form(path)
    return [
        _write_file(where, figure_image(figure, form))
        for where, figure in _part_paths(path, analysis.figures, lambda figure: figure.key)
    ]


def figure_form(path: Path) -> str:
    """Return the format (svg, pdf or png) of the file extension. Raises UsageError for any other extension."""
    form = path.suffix.removeprefix(".").lower()
    if form not in FORMATS:
        raise UsageError(f"{path} must end in .svg, .pdf or .png")
    return form


def _part_paths(
    path: Path, things: tuple[Thing, ...], key: Callable[[Thing], str]
) -> list[tuple[Path, Thing]]:
    if len(things) == 1:
        return [(path, things[0])]
    return [(path.with_name(f"{path.stem}-{key(thing)}{path.suffix}"), thing) for thing in things]


def _write_file(path: Path, content: bytes) -> Path:
    write_result(path, content)
    return path
