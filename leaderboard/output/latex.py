"""Tables for LaTeX: booktabs, bold where significant, the best underlined, the method in the caption."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from leaderboard.output.numbers import MINUS, NOT_THERE, THIN_SPACE, head, is_number, shown
from leaderboard.output.table import Kind, Row, Table

LATIN_ENDS = 0x180
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "--": "-{}-",
    MINUS: "$-$",
    NOT_THERE: "--",
    THIN_SPACE: r"\,",
    "·": r"$\cdot$",
    "×": r"$\times$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "→": r"$\rightarrow$",
    "…": r"\dots{}",
    "\n": " ",
    "\r": " ",
}


def _greek(letter: str) -> str:
    """``$\\beta$`` for β; Unicode spells one of them without its b."""
    name = unicodedata.name(letter).split()[-1].replace("LAMDA", "LAMBDA")
    return rf"$\{name.lower() if letter.islower() else name.capitalize()}$"


_SPECIAL |= {letter: _greek(letter) for letter in "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩ"}
_ANY_SPECIAL = re.compile("|".join(map(re.escape, _SPECIAL)))
_PUNCTUATION = "–—‘’‚“”„†‡•‰‹›€™"
"""Beyond Latin letters, what pdfLaTeX sets as it is."""


def latex_table(table: Table) -> str:
    """A ``table`` environment; needs ``\\usepackage{booktabs}`` (and T1 fonts for a straight quote).

    Names in scripts that pdfLaTeX does not have stay as they are, and a comment on top says so.
    """
    spec = "".join("r" if is_number(column.kind) else "l" for column in table.columns)
    legend = table.legend(best="Underlined", significant="Bold")
    notes = " ".join([*legend, *table.notes, f"{table.facts.sentence}."])
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escaped(f'{table.title}. {table.caption} {notes}')}}}",
        rf"\label{{tab:{re.sub('[^A-Za-z0-9-]', '-', table.key)}}}",
        rf"\begin{{tabular}}{{{spec}}}",
        r"\toprule",
        *_groups(table),
        _line(escaped(head(column)) for column in table.columns),
        r"\midrule",
        *(_line(_cell(table, row, column.key) for column in table.columns) for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    text = "\n".join(lines) + "\n"
    return _other_engine(text) + text


def _other_engine(text: str) -> str:
    beyond = sorted({sign for sign in text if ord(sign) >= LATIN_ENDS and sign not in _PUNCTUATION})
    if not beyond:
        return ""
    return f"% For LuaLaTeX or XeLaTeX, and a font that has: {''.join(beyond)}\n"


def escaped(text: str) -> str:
    """Text that LaTeX sets as it is read."""
    return _ANY_SPECIAL.sub(lambda match: _SPECIAL[match[0]], text)


def _groups(table: Table) -> list[str]:
    groups = table.groups()
    if not any(name for name, _ in groups):
        return []
    heads, rules, at = [], [], 1
    for name, width in groups:
        heads.append(rf"\multicolumn{{{width}}}{{c}}{{{escaped(name)}}}" if name else " &" * (width - 1))
        rules += [rf"\cmidrule(lr){{{at}-{at + width - 1}}}"] if name else []
        at += width
    return [" & ".join(heads) + r" \\", " ".join(rules)]


def _line(cells: Iterable[str]) -> str:
    r"""A line of the table. ``\\`` and ``\midrule`` before it take a star or a bracket that it begins with."""
    line = " & ".join(cells) + r" \\"
    return "{}" + line if line.lstrip().startswith(("[", "*")) else line


def _cell(table: Table, row: Row, key: str) -> str:
    kind = table.column(key).kind
    text = shown(row.values.get(key), kind)
    cell = _power(text) if kind is Kind.P else escaped(text)
    if key in row.best:
        cell = rf"\underline{{{cell}}}"
    return rf"\textbf{{\boldmath {cell}}}" if key in row.significant else cell


def _power(text: str) -> str:
    """``3.22e-12`` as a product."""
    match = re.fullmatch(r"(<?)(\d(?:\.\d+)?)e-(\d+)", text)
    return rf"${match[1]}{match[2]}\times 10^{{-{match[3]}}}$" if match else escaped(text)
