"""Tables for LaTeX: booktabs, bold where significant, the best underlined, the method in the caption."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from leaderboard.output.numbers import MINUS, NOT_THERE, THIN_SPACE, head, is_number, shown
from leaderboard.output.table import Column, Kind, Row, Table

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


GAP = 6
"""LaTeX's own \\tabcolsep, in points."""
SIZES = (
    ("table", 241, "", 5.0, GAP),
    ("table*", 506, "", 5.0, GAP),
    ("table*", 506, r"\small", 4.5, 5),
    ("table*", 506, r"\footnotesize", 4.0, 4),
    ("table*", 506, r"\scriptsize", 3.5, 3),
)
"""(environment, points of its width, size of letters, points of a letter, of a gap), from the widest letters on.

Widths are those of acmart's sigconf; the points of a letter are what digits take."""


def latex_table(table: Table) -> str:
    """A ``table`` environment, or ``table*`` where it is wide.

    Needs ``\\usepackage{booktabs}`` (and T1 fonts for a straight quote).
    Names in scripts that pdfLaTeX does not have stay as they are, and a comment on top says so.
    """
    spec = "".join("r" if is_number(column.kind) else "l" for column in table.columns)
    legend = table.legend(best="Underlined", significant="Bold")
    notes = " ".join([*legend, *table.notes, f"{table.facts.sentence}."])
    name, size = _fitting(table)
    lines = [
        rf"\begin{{{name}}}",
        r"\centering",
        *size,
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
        rf"\end{{{name}}}",
    ]
    text = "\n".join(lines) + "\n"
    return _other_engine(text) + text


def _fitting(table: Table) -> tuple[str, list[str]]:
    """The environment, and what makes letters and gaps small enough: one column of text, or the page's width."""
    letters = sum(_letters(table, column) for column in table.columns)
    fitting = (one for one in SIZES if letters * one[3] + 2 * one[4] * len(table.columns) <= one[1])
    environment, _, size, _, gap = next(fitting, SIZES[-1])
    gaps = [rf"\setlength{{\tabcolsep}}{{{gap}pt}}"] if gap != GAP else []
    return environment, [*filter(None, [size]), *gaps]


def _letters(table: Table, column: Column) -> int:
    return max(
        len(head(column)), *(len(shown(row.values.get(column.key), column.kind)) for row in table.rows), 0
    )


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
