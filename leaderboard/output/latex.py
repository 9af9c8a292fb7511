"""Tables for LaTeX: booktabs, bold where significant, the best underlined, the method in the caption."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace

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
PAGE = 506
"""Points of a page's width in acmart's sigconf."""
LONGEST = 50
"""Rows that a page holds: a float with more of them would run off its end."""


@dataclass(frozen=True)
class Layout:
    """How a table is set: ``points`` of width, and of a letter (what digits take) and of a gap between columns.

    ``turned``: heads that are wider than their column stand upright. ``shrunk``: the whole is scaled to the width.
    """

    environment: str
    points: int
    size: str
    letter: float
    gap: int
    turned: bool = False
    shrunk: bool = False

    def holds(self, table: Table) -> bool:
        """Whether the table is not wider than its place."""
        letters = sum(_letters(table, column, with_head=not self.turned) for column in table.columns)
        return letters * self.letter + 2 * self.gap * len(table.columns) <= self.points

    @property
    def commands(self) -> list[str]:
        """What makes letters and gaps small enough."""
        gaps = [rf"\setlength{{\tabcolsep}}{{{self.gap}pt}}"] if self.gap != GAP else []
        return [*filter(None, [self.size]), *gaps]


_WIDE = [
    Layout("table*", PAGE, "", 5.0, GAP),
    Layout("table*", PAGE, r"\small", 4.5, 5),
    Layout("table*", PAGE, r"\footnotesize", 4.0, 4),
    Layout("table*", PAGE, r"\scriptsize", 3.5, 3),
]
LAYOUTS = [
    Layout("table", 241, "", 5.0, GAP),
    *_WIDE,
    *(replace(layout, turned=True) for layout in _WIDE),
]
"""From the widest letters on; what none of them holds is shrunk."""


def latex_table(table: Table) -> str:
    """A ``table`` environment, ``table*`` where it is wide, ``longtable`` where it is longer than a page.

    Needs ``\\usepackage{booktabs}`` (and T1 fonts for a straight quote). What else a table needs, and names in
    scripts that pdfLaTeX does not have, which stay as they are, a comment on top says.
    """
    shrunk = replace(LAYOUTS[-1], shrunk=True)
    layout = next((layout for layout in LAYOUTS if layout.holds(table)), shrunk)
    spec = "".join("r" if is_number(column.kind) else "l" for column in table.columns)
    heads = [*_groups(table), _line(_head(table, column, layout) for column in table.columns)]
    rows = [_line(_cell(table, row, column.key) for column in table.columns) for row in table.rows]
    setting = _long if len(rows) > LONGEST else _floating
    text = "\n".join(setting(table, layout, spec, heads, rows)) + "\n"
    too_wide = layout.shrunk and len(rows) > LONGEST
    warning = "% Wider than a page, whatever the letters: choose fewer runs.\n" if too_wide else ""
    return warning + _needed(text) + _other_engine(text) + text


def _floating(table: Table, layout: Layout, spec: str, heads: list[str], rows: list[str]) -> list[str]:
    """On one page, wherever LaTeX finds room."""
    return [
        rf"\begin{{{layout.environment}}}",
        r"\centering",
        *layout.commands,
        rf"\caption{{{_caption(table)}}}",
        _label(table),
        *([r"\resizebox{\textwidth}{!}{%"] if layout.shrunk else []),
        rf"\begin{{tabular}}{{{spec}}}",
        r"\toprule",
        *heads,
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}" + ("}" if layout.shrunk else ""),
        rf"\end{{{layout.environment}}}",
    ]


def _long(table: Table, layout: Layout, spec: str, heads: list[str], rows: list[str]) -> list[str]:
    """From page to page, its head on each."""
    return [
        r"\begingroup",
        *layout.commands,
        rf"\begin{{longtable}}{{{spec}}}",
        rf"\caption{{{_caption(table)}}}{_label(table)}\\",
        *(r"\toprule", *heads, r"\midrule", r"\endfirsthead"),
        *(r"\toprule", *heads, r"\midrule", r"\endhead"),
        *(r"\bottomrule", r"\endfoot"),
        *rows,
        r"\end{longtable}",
        r"\endgroup",
    ]


def _caption(table: Table) -> str:
    legend = table.legend(best="Underlined", significant="Bold")
    notes = " ".join([*legend, *table.notes, f"{table.facts.sentence}."])
    return escaped(f"{table.title}. {table.caption} {notes}")


def _label(table: Table) -> str:
    return rf"\label{{tab:{re.sub('[^A-Za-z0-9-]', '-', table.key)}}}"


def _head(table: Table, column: Column, layout: Layout) -> str:
    text = head(column)
    if layout.turned and len(text) > _letters(table, column, with_head=False):
        return rf"\rotatebox{{90}}{{{escaped(text)}}}"
    return escaped(text)


def _letters(table: Table, column: Column, *, with_head: bool) -> int:
    """Letters of a column's widest cell, with its head or without."""
    cells = (len(shown(row.values.get(column.key), column.kind)) for row in table.rows)
    return max(len(head(column)) if with_head else 2, *cells, 0)


def _needed(text: str) -> str:
    """A comment with the packages that this table needs besides booktabs."""
    needs = []
    if r"\rotatebox" in text or r"\resizebox" in text:
        needs.append(r"\usepackage{graphicx}")
    if r"\begin{longtable}" in text:
        needs.append(r"\usepackage{longtable}, and one column of text, as it is longer than a page")
    return f"% Needs {'; '.join(needs)}.\n" if needs else ""


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
