"""Base class of commands that print an analysis, with options for every output format."""

from argparse import SUPPRESS
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from config.commands.console import Command, UsageError
from leaderboard.output import files
from leaderboard.output.content import analysis_content
from leaderboard.output.table import Analysis
from leaderboard.output.terminal import print_analysis


class AnalysisCommand(Command):
    """Base class of commands that print an analysis and write it to files.

    Subclasses define ``arguments`` (and call super) and ``analyse``. A subclass without figures sets ``has_figure``
    to False, so that ``--figure`` is refused before anything is computed.
    """

    has_figure = True

    def arguments(self, parser: CommandParser) -> None:
        group = parser.add_argument_group("output", "besides the tables on the terminal, or --json")
        for form, what in (("csv", "raw numbers"), ("latex", "booktabs"), ("markdown", "pipes")):
            group.add_argument(
                f"--{form}", metavar="FILE", help=f"also write the tables to this file ({what})"
            )
        drawn = "also draw the figures to this file (.svg, .pdf or .png)"
        group.add_argument("--figure", metavar="FILE", help=drawn if self.has_figure else SUPPRESS)

    def analyse(self, *args: Any, **options: Any) -> Analysis:
        """Compute and return the analysis for the command's options."""
        raise NotImplementedError

    def act(
        self,
        *,
        csv: str | None,
        latex: str | None,
        markdown: str | None,
        figure: str | None,
        **options: Any,
    ) -> dict[str, Any]:
        if figure and not self.has_figure:
            raise UsageError("this analysis has no figure; remove --figure")
        if figure:
            files.figure_form(Path(figure))
        self.analysis = self.analyse(**options)
        writers = (
            (csv, files.write_csv),
            (latex, files.write_latex),
            (markdown, files.write_markdown),
            (figure, files.write_figures),
        )
        for path, write in writers:
            for written in write(self.analysis, Path(path)) if path else ():
                self.note(f"Written: {written}")
        if figure and not self.analysis.figures:
            self.note(f"{figure} was not written: there is nothing to draw.")
        return analysis_content(self.analysis)

    def show(self, result: dict[str, Any]) -> None:
        print_analysis(self.out, self.analysis)
