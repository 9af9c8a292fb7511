"""Tables for LaTeX (booktabs), with significant values in bold, the best underlined and the method in the caption."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace

from leaderboard.output.numbers import MINUS, NOT_THERE, column_head, is_number, number_text
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
    """Return the LaTeX of a Greek letter, such as ``$\\beta$`` for β. The name of λ in Unicode is LAMDA."""
    name = unicodedata.name(letter).split()[-1].replace("LAMDA", "LAMBDA")
    return rf"$\{name.lower() if letter.islower() else name.capitalize()}$"


_SPECIAL |= {letter: _greek(letter) for letter in "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩ"}
_ANY_SPECIAL = re.compile("|".join(map(re.escape, _SPECIAL)))
_PUNCTUATION = "–—‘’‚“”„†‡•‰‹›€™"
"""Characters beyond Latin letters that pdfLaTeX typesets directly."""


GAP = 6
"""LaTeX's default \\tabcolsep, in points."""
PAGE = 506
"""Width of a page in acmart's sigconf, in points."""
LONGEST = 50
"""The maximum number of rows on a page. A floating table with more rows would run off the page."""


@dataclass(frozen=True)
class Layout:
    """A table's layout, with sizes in points.

    ``points`` is the available width, ``letter`` the width of a digit, and ``gap`` the space on each side of a
    column. ``turned``: column heads wider than their column are rotated. ``shrunk``: the whole table is scaled to the
    width.
    """

    environment: str
    points: int
    size: str
    letter: float
    gap: int
    turned: bool = False
    shrunk: bool = False

    def holds(self, table: Table) -> bool:
        """Return whether the table fits the width. The head of a group can be wider than the group's columns."""
        needed, at = 0.0, 0
        for name, count in table.groups():
            columns = table.columns[at : at + count]
            letters = sum(_widest_cell(table, column, with_head=not self.turned) for column in columns)
            gaps = 2 * self.gap * count
            needed += max(letters * self.letter + gaps, len(name) * self.letter + 2 * self.gap)
            at += count
        return needed <= self.points

    @property
    def commands(self) -> list[str]:
        """The LaTeX commands that set the size of letters and the gap between columns."""
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
"""The layouts to try, in this order. A table that fits none of them is shrunk."""


def latex_table(table: Table) -> str:
    """Return the table as LaTeX: ``table``, ``table*`` if it is wide, or ``longtable`` if it is longer than a page.

    It needs ``\\usepackage{booktabs}`` (and T1 fonts for a straight quote). A comment at the top lists other required
    packages, and the characters that pdfLaTeX cannot typeset, which are left unchanged.
    """
    shrunk = replace(LAYOUTS[-1], shrunk=True)
    layout = next((layout for layout in LAYOUTS if layout.holds(table)), shrunk)
    spec = "".join("r" if is_number(column.kind) else "l" for column in table.columns)
    heads = [*_group_heads(table), _set_line(_set_head(table, column, layout) for column in table.columns)]
    rows = [_set_line(_set_cell(table, row, column.key) for column in table.columns) for row in table.rows]
    setting = _long_table if len(rows) > LONGEST else _float_table
    text = "\n".join(setting(table, layout, spec, heads, rows)) + "\n"
    too_wide = layout.shrunk and len(rows) > LONGEST
    warning = "% Wider than a page, even with the smallest letters: choose fewer runs.\n" if too_wide else ""
    return warning + _needed_packages(text) + _needed_engine(text) + text


def _float_table(table: Table, layout: Layout, spec: str, heads: list[str], rows: list[str]) -> list[str]:
    """Return the lines of a floating table on one page."""
    return [
        rf"\begin{{{layout.environment}}}",
        r"\centering",
        *layout.commands,
        rf"\caption{{{_latex_caption(table)}}}",
        _latex_label(table),
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


def _long_table(table: Table, layout: Layout, spec: str, heads: list[str], rows: list[str]) -> list[str]:
    """Return the lines of a table that can continue on further pages, with its head on each page."""
    return [
        r"\begingroup",
        *layout.commands,
        rf"\begin{{longtable}}{{{spec}}}",
        rf"\caption{{{_latex_caption(table)}}}{_latex_label(table)}\\",
        *(r"\toprule", *heads, r"\midrule", r"\endfirsthead"),
        *(r"\toprule", *heads, r"\midrule", r"\endhead"),
        *(r"\bottomrule", r"\endfoot"),
        *rows,
        r"\end{longtable}",
        r"\endgroup",
    ]


def _latex_caption(table: Table) -> str:
    legend = table.legend(best="Underlined", significant="Bold")
    notes = " ".join([*legend, *table.notes, f"{table.facts.sentence}."])
    return latex_escaped(f"{table.title}. {table.caption} {notes}")


def _latex_label(table: Table) -> str:
    return rf"\label{{tab:{re.sub('[^A-Za-z0-9-]', '-', table.key)}}}"


def _set_head(table: Table, column: Column, layout: Layout) -> str:
    text = column_head(column)
    if layout.turned and len(text) > _widest_cell(table, column, with_head=False):
        return rf"\rotatebox{{90}}{{{latex_escaped(text)}}}"
    return latex_escaped(text)


def _widest_cell(table: Table, column: Column, *, with_head: bool) -> int:
    """Return the number of letters in a column's widest cell, with or without its head."""
    cells = (len(number_text(row.values.get(column.key), column.kind)) for row in table.rows)
    return max(len(column_head(column)) if with_head else 2, *cells, 0)


def _needed_packages(text: str) -> str:
    """Return a comment with the packages that this table needs besides booktabs."""
    needs = []
    if r"\rotatebox" in text or r"\resizebox" in text:
        needs.append(r"\usepackage{graphicx}")
    if r"\begin{longtable}" in text:
        needs.append(r"\usepackage{longtable}, and one column of text, because it is longer than a page")
    return f"% Needs {'; '.join(needs)}.\n" if needs else ""


def _needed_engine(text: str) -> str:
    beyond = sorted({sign for sign in text if ord(sign) >= LATIN_ENDS and sign not in _PUNCTUATION})
    if not beyond:
        return ""
    return f"% Needs LuaLaTeX or XeLaTeX, and a font with these characters: {''.join(beyond)}\n"


def latex_escaped(text: str) -> str:
    return _ANY_SPECIAL.sub(lambda match: _SPECIAL[match[0]], text)


def _group_heads(table: Table) -> list[str]:
    groups = table.groups()
    if not any(name for name, _ in groups):
        return []
    heads, rules, at = [], [], 1
    for name, width in groups:
        heads.append(
            rf"\multicolumn{{{width}}}{{c}}{{{latex_escaped(name)}}}" if name else " &" * (width - 1)
        )
        rules += [rf"\cmidrule(lr){{{at}-{at + width - 1}}}"] if name else []
        at += width
    return [" & ".join(heads) + r" \\", " ".join(rules)]


def _set_line(cells: Iterable[str]) -> str:
    r"""Return a line of the table, which starts with ``{}`` if its first sign is a star or a bracket.

    Without it, a ``\\`` or ``\midrule`` before the line would take that sign as its argument.
    """
    line = " & ".join(cells) + r" \\"
    return "{}" + line if line.lstrip().startswith(("[", "*")) else line


def _set_cell(table: Table, row: Row, key: str) -> str:
    kind = table.column(key).kind
    text = number_text(row.values.get(key), kind)
    cell = _power_of_ten(text) if kind is Kind.P else latex_escaped(text)
    if key in row.best:
        cell = rf"\underline{{{cell}}}"
    return rf"\textbf{{\boldmath {cell}}}" if key in row.significant else cell


def _power_of_ten(text: str) -> str:
    """Return the LaTeX of a p-value. ``3.22e-12`` becomes a product with a power of ten."""
    match = re.fullmatch(r"(<?)(\d(?:\.\d+)?)e-(\d+)", text)
    return rf"${match[1]}{match[2]}\times 10^{{-{match[3]}}}$" if match else latex_escaped(text)
