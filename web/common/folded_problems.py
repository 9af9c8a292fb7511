"""Problems of a file that differ only in names and numbers, shown as one problem with the first line numbers."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from config.plurals import many
from pooling.files.problems import NEXT_STEPS, SHAPES

#: The most lines listed for similar problems, besides the line of the first problem.
LINES_NAMED = 8
#: The parts that differ between sentences about the same problem: quoted text, words with a digit, and brackets.
_DIFFERS = re.compile(r"'[^']*'|\"[^\"]*\"|\([^)]*\)|\S*\d\S*")
#: Kind of a problem → what is counted, for one and for several. Other kinds concern the whole file or run.
COUNTED = {
    "columns": ("line with a wrong number of columns", "lines with a wrong number of columns"),
    "rank": ("line with a wrong rank", "lines with a wrong rank"),
    "grade": ("line with a wrong grade", "lines with a wrong grade"),
    "score": ("line with a wrong score", "lines with a wrong score"),
    "length": ("line with a field that is too long", "lines with a field that is too long"),
    "encoding": ("line with a wrong encoding", "lines with a wrong encoding"),
    "format": ("line with a wrong format", "lines with a wrong format"),
    "no text": ("line without a text", "lines without a text"),
    "run tag": ("line with another run tag", "lines with another run tag"),
    "repeated passage": ("repeated passage", "repeated passages"),
    "repeated query": ("repeated query", "repeated queries"),
    "too many passages": ("query with too many passages", "queries with too many passages"),
    "unknown query": ("unknown query", "unknown queries"),
}


@dataclass
class FoldedProblem:
    """Similar problems, shown as one row that quotes the first of them.

    They have the same wording, or are lines that belong to another kind of file.
    """

    first: Mapping[str, Any]
    lines: list[int] = field(default_factory=list)
    kinds: dict[str, None] = field(default_factory=dict)
    """The kinds of the problems, in the order of their first lines."""
    of_kind: int = 0
    """The number of problems of these kinds in the whole file, if no other row has such problems; else 0."""

    @property
    def count(self) -> int:
        """The known number of these problems, including unlisted problems."""
        return max(len(self.lines), self.of_kind)

    @property
    def others(self) -> list[int]:
        return self.lines[1 : LINES_NAMED + 1]

    @property
    def unnamed(self) -> int:
        """The number of problems whose lines are not listed."""
        return self.count - 1 - len(self.others)


def fold(
    problems: Iterable[Mapping[str, Any]], counts: Mapping[str, int] | None = None
) -> list[FoldedProblem]:
    """Fold problems of the same kind together, in the order of their first lines.

    ``counts``: the number of problems of each kind, including unlisted problems.
    """
    found: dict[tuple[Any, ...], FoldedProblem] = {}
    for one in problems:
        sentence = _DIFFERS.sub("…", one["reason"])
        kind, advice = one["kind"], one.get("next_step", "")
        if kind in SHAPES and advice not in ("", NEXT_STEPS[kind]):
            # Lines of another kind of file have various problems by chance, so fold them together.
            kind = sentence = ""
        key = (one.get("file"), kind, sentence, _DIFFERS.sub("…", advice))
        same = found.setdefault(key, FoldedProblem(one))
        same.lines.append(one["line"])
        same.kinds[one["kind"]] = None
    rows = Counter(kind for same in found.values() for kind in same.kinds)
    for same in found.values():
        if all(rows[kind] == 1 for kind in same.kinds):
            same.of_kind = sum((counts or {}).get(kind, 0) for kind in same.kinds)
    return list(found.values())


def unlisted(folded: Iterable[FoldedProblem], counts: Mapping[str, int]) -> int:
    """Return the number of counted problems that no row represents."""
    return max(0, sum(counts.values()) - sum(same.count for same in folded))


def counts_in_words(counts: Mapping[str, int]) -> list[str]:
    """Return the number of problems of each kind, in words."""
    return [
        many(number, *COUNTED.get(kind, (f"problem with the {kind}", f"problems with the {kind}")))
        for kind, number in counts.items()
    ]
