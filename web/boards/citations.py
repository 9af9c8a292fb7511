"""BibTeX entries for pages with a permanent address: a leaderboard, a run."""

import re

#: Characters that a backslash does not escape, and the commands that print them.
_COMMANDS = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}


def bibtex_entry(*, key: str, title: str, year: int, address: str, note: str, doi: str = "") -> str:
    """Return a ``@misc`` entry. Texts can contain anything, so special characters of BibTeX and LaTeX are escaped."""
    said = [
        f"  title = {{{_bibtex_text(title)}}},",
        f"  year = {{{year}}},",
        *([f"  doi = {{{doi}}},"] if doi else []),
        f"  howpublished = {{\\url{{{address}}}}},",
        *([f"  note = {{{_bibtex_text(note)}}}"] if note else []),
    ]
    return "\n".join([f"@misc{{{re.sub(r'[^A-Za-z0-9._-]+', '-', key)},", *said, "}"])


def _bibtex_text(text: str) -> str:
    """Escape the characters that BibTeX and LaTeX would interpret."""
    return "".join(
        _COMMANDS.get(letter) or (f"\\{letter}" if letter in "&%$#_{}" else letter) for letter in text
    )
