"""Labels with near-duplicates counted once or expanded to all of them, and rankings without near-duplicates.

In the TREC 2022 Deep Learning track, the canonical passage of each class was judged. The track's overview (section 4,
table 4 and figure 6) compares two evaluations:

- runs without near-duplicates, under the labels of canonical passages;
- runs as they are, under labels expanded to whole classes.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

Grades = Mapping[str, Mapping[str, int]]
"""qid → pid → grade."""


@dataclass(frozen=True)
class LevelCounts:
    """Counts of a query's judged classes (``judged``) and of their passages (``expanded``), in total and by grade."""

    qid: str
    judged: int
    expanded: int
    judged_at: Mapping[int, int]
    expanded_at: Mapping[int, int]

    def relevant(self, least: int) -> int:
        """Return the number of judged classes of grade ``least`` or more."""
        return sum(count for grade, count in self.judged_at.items() if grade >= least)

    def density(self, least: int) -> float:
        """Return the share of judged classes of grade ``least`` or more."""
        return self.relevant(least) / self.judged if self.judged else 0.0


@dataclass(frozen=True)
class Conflict:
    """A class whose passages have different grades for a query. ``grades`` maps its labeled pids to their grades."""

    qid: str
    grades: Mapping[str, int]


def one_per_class(grades: Mapping[str, int], canonical: Mapping[str, str]) -> dict[str, int]:
    """Return canonical pid → grade of the class: the highest grade of its labeled passages."""
    found: dict[str, int] = {}
    for pid, grade in grades.items():
        first = canonical.get(pid, pid)
        found[first] = max(grade, found.get(first, grade))
    return found


def conflicts(grades: Grades, canonical: Mapping[str, str]) -> list[Conflict]:
    """Return the classes whose passages have different grades, query by query."""
    found = []
    for qid, of_query in grades.items():
        members: dict[str, dict[str, int]] = {}
        for pid, grade in of_query.items():
            members.setdefault(canonical.get(pid, pid), {})[pid] = grade
        found += [Conflict(qid, given) for given in members.values() if len(set(given.values())) > 1]
    return found


def level_counts(classes: Grades, sizes: Mapping[str, int]) -> list[LevelCounts]:
    """Count the labels of every query. ``sizes`` is the number of passages per class (default: 1)."""
    found = []
    for qid, grades in classes.items():
        expanded: Counter[int] = Counter()
        for first, grade in grades.items():
            expanded[grade] += sizes.get(first, 1)
        found.append(
            LevelCounts(qid, len(grades), expanded.total(), dict(Counter(grades.values())), dict(expanded))
        )
    return found


def expanded_labels(classes: Grades, members: Mapping[str, Sequence[str]]) -> list[tuple[str, str, int]]:
    """Return (qid, pid, grade) of every passage of the judged classes."""
    return [
        (qid, pid, grade)
        for qid, grades in classes.items()
        for first, grade in grades.items()
        for pid in members.get(first, (first,))
    ]


def without_near_duplicates(ranking: pl.DataFrame, classes: pl.DataFrame) -> pl.DataFrame:
    """Return a ranking (qid, rank, pid) in which each class is one row, at the rank of its first passage.

    The pid of the row is the canonical one. ``classes`` has the columns pid and canonical. Ranks are renumbered
    without gaps.
    """
    named = ranking.select("qid", "rank", "pid").join(classes, on="pid", how="left")
    first = named.with_columns(pid=pl.coalesce("canonical", "pid")).group_by("qid", "pid").agg(pl.min("rank"))
    return first.with_columns(rank=pl.col("rank").rank("ordinal").over("qid").cast(pl.Int64))
