"""Agreement of two sets of labels on the passages that both label: confusion matrix of grades, Cohen's kappa."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Whole = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Kappa:
    """Cohen's κ (``value``), and the observed and expected shares of equal labels; None if undefined."""

    observed: float | None
    expected: float | None
    value: float | None


@dataclass(frozen=True)
class Confusion:
    """Counts of passages by their grades in two sets of labels.

    ``counts[i, j]`` is the number of passages with grade ``first[i]`` in the first set and ``second[j]`` in the
    second. ``only_first`` and ``only_second`` count, by grade, the passages that the other set does not label.
    """

    first: tuple[int, ...]
    second: tuple[int, ...]
    counts: Whole
    only_first: Whole
    only_second: Whole

    @property
    def common(self) -> int:
        """The number of passages that both sets label."""
        return int(self.counts.sum())

    def kappa(self) -> Kappa:
        """Return κ of the grades as they are."""
        grades = tuple(sorted({*self.first, *self.second}))
        square = np.zeros((len(grades), len(grades)), dtype=np.int64)
        rows, columns = ([grades.index(grade) for grade in side] for side in (self.first, self.second))
        square[np.ix_(rows, columns)] = self.counts
        return cohens_kappa(square)

    def relevance_kappa(self, first_least: int, second_least: int) -> Kappa:
        """Return κ of relevance (relevant or not), given the lowest relevant grade of each set."""
        return cohens_kappa(self.by_relevance(first_least, second_least))

    def by_relevance(self, first_least: int, second_least: int) -> Whole:
        """Return the counts of passages by relevance (not relevant, relevant), shape (2, 2).

        Rows are for the first set, columns for the second. ``first_least`` and ``second_least`` are the lowest
        relevant grades of the two sets.
        """
        rows = np.array(self.first, dtype=np.int64) >= first_least
        columns = np.array(self.second, dtype=np.int64) >= second_least
        return np.array(
            [
                [int(self.counts[np.ix_(rows == row, columns == column)].sum()) for column in (False, True)]
                for row in (False, True)
            ],
            dtype=np.int64,
        )


def cohens_kappa(square: Whole) -> Kappa:
    """Return κ = (observed - expected) / (1 - expected) of a square table of counts.

    Cohen, *A Coefficient of Agreement for Nominal Scales*, Educational and Psychological Measurement 20 (1960). κ is
    undefined if there are no passages, or if both sets give every passage the same label.
    """
    total = int(square.sum())
    if not total:
        return Kappa(None, None, None)
    # Compute with integers until the last division, so that rounding cannot turn a chance agreement of 1 into less.
    equal, chance = int(np.trace(square)), int((square.sum(axis=0) * square.sum(axis=1)).sum())
    value = (equal * total - chance) / (total * total - chance) if chance < total * total else None
    return Kappa(equal / total, chance / (total * total), value)


def confusion(first: dict[tuple[str, str], int], second: dict[tuple[str, str], int]) -> Confusion:
    """Count passages by their grades in two sets of labels, which map (qid, pid) to a grade."""
    first_grades, second_grades = (tuple(sorted(set(side.values()))) for side in (first, second))
    rows, columns = (
        {grade: place for place, grade in enumerate(side)} for side in (first_grades, second_grades)
    )
    counts = np.zeros((len(rows), len(columns)), dtype=np.int64)
    only_first, only_second = np.zeros(len(rows), dtype=np.int64), np.zeros(len(columns), dtype=np.int64)
    for key, grade in first.items():
        if key in second:
            counts[rows[grade], columns[second[key]]] += 1
        else:
            only_first[rows[grade]] += 1
    for key, grade in second.items():
        if key not in first:
            only_second[columns[grade]] += 1
    return Confusion(first_grades, second_grades, counts, only_first, only_second)
