"""Labels to score runs with: a qrel set by name, a version's best answers as ``@n``, or its ``@n:order``.

``@n`` contains the best answers of version *n*, each of grade 1. ``@n:order`` contains every passage that its
judgments compared, graded by level of preference. It ranks passages but does not measure how good each one is.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from leaderboard.errors import UnknownLabels
from pooling.models import Collection, Qrel, QrelSet
from pooling.services.lookups import qrel_set_named
from pooling.wanted import Wanted
from tournament.models import PreferenceQrel, QrelVersion
from tournament.services import preference_orders
from tournament.services.publication import version_numbered

ORDER = ":order"
"""Suffix that names a version's order of preference."""
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Labels:
    """Graded passages of the covered queries; entries are in query order, then in file order."""

    name: str
    min_grade: int
    qids: tuple[str, ...]
    """The covered queries, in query order: queries with a label of any grade, as in trec_eval."""
    query: Integers
    """For each entry, its index into ``qids``."""
    pids: tuple[str, ...]
    grades: Integers
    version: QrelVersion | None = None
    ordinal: bool = False
    """Whether grades are levels of preference, counted from each query's lowest. Only their order has meaning."""

    @cached_property
    def sha256(self) -> str:
        """Hash of everything that values depend on."""
        content = [self.min_grade, self.qids, self.query.tolist(), self.pids, self.grades.tolist()]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()

    @cached_property
    def wanted(self) -> Wanted:
        """Return the entries to look up in rankings."""
        return Wanted(self.qids, self.query, self.pids)

    @cached_property
    def relevant(self) -> npt.NDArray[np.bool_]:
        """Return for each entry whether its passage is relevant."""
        return self.grades >= self.min_grade

    @property
    def title(self) -> str:
        """Name for display: ``version 3``, or the name of the set."""
        if self.version is None:
            return self.name
        return f"version {self.version.number}{', order of preference' * self.ordinal}"

    @property
    def words(self) -> str:
        """The labels in words: ``version 3``, or ``official (relevant from grade 2)``."""
        return self.title if self.version else f"{self.name} (relevant from grade {self.min_grade})"

    @property
    def simulated(self) -> bool:
        """Return whether some judges were simulated."""
        return self.version is not None and self.version.simulated

    @cached_property
    def answerable(self) -> npt.NDArray[np.bool_]:
        """Return for each covered query whether it has a relevant passage at all."""
        return np.bincount(self.query[self.relevant], minlength=len(self.qids)) > 0

    @property
    def answerable_qids(self) -> list[str]:
        """The covered queries that have a relevant passage, in query order."""
        return [qid for qid, known in zip(self.qids, self.answerable, strict=True) if known]

    def entries(self) -> list[tuple[str, str, int]]:
        """Return the qid, the pid and the grade of every entry."""
        qids = (self.qids[query] for query in self.query.tolist())
        return list(zip(qids, self.pids, self.grades.tolist(), strict=True))

    def with_entries(self, entries: list[tuple[str, str, int]]) -> Labels:
        """Return labels of the same name and kind with these entries, in query order."""
        kept = labels_of_rows(self.name, self.min_grade, entries, self.version)
        return replace(kept, ordinal=self.ordinal)

    def without(self, qids: frozenset[str]) -> Labels:
        return self.with_entries([one for one in self.entries() if one[0] not in qids]) if qids else self

    def the_qrel(self) -> dict[str, str]:
        """Return qid → the query's one qrel: its relevant passage of the highest grade (ties: first in the file)."""
        best: dict[str, tuple[int, str]] = {}
        for qid, pid, grade in self.entries():
            if grade >= self.min_grade and (qid not in best or grade > best[qid][0]):
                best[qid] = grade, pid
        return {qid: pid for qid, (_, pid) in best.items()}

    def relevant_pids(self) -> dict[str, set[str]]:
        """Return qid → pids of its relevant passages."""
        pids: dict[str, set[str]] = {}
        for entry in np.flatnonzero(self.relevant).tolist():
            pids.setdefault(self.qids[self.query[entry]], set()).add(self.pids[entry])
        return pids


def labels_named(collection: Collection, name: str) -> Labels:
    """Return the labels ``name`` (a qrel set), ``@n`` or ``@n:order`` (a version).

    Raises UnknownLabels, NoSuchVersion or NotFound.
    """
    asked = re.fullmatch(rf"@([0-9]{{1,9}})({ORDER})?", name)
    if asked:
        version = version_numbered(collection, int(asked[1]))
        return order_labels(version) if asked[2] else version_labels(version)
    if name.startswith("@"):
        raise UnknownLabels(
            f"{name} is not a version.", f"Write @1 for version 1 or @1{ORDER} for its order of preference."
        )
    return qrel_set_labels(qrel_set_named(collection, name))


def qrel_set_labels(qrel_set: QrelSet) -> Labels:
    rows = (
        Qrel.objects.filter(qrel_set=qrel_set)
        .order_by("query__position", "query_id", "position", "pk")
        .values_list("query__qid", "passage__pid", "grade")
    )
    return labels_of_rows(qrel_set.name, qrel_set.min_grade, list(rows))


def version_labels(version: QrelVersion) -> Labels:
    """Return a version's best answers, including passages with the same text, each of grade 1."""
    rows = (
        PreferenceQrel.objects.filter(version=version)
        .order_by("query__position", "query_id", "passage__pid")
        .values_list("query__qid", "passage__pid")
    )
    return labels_of_rows(f"@{version.number}", 1, [(qid, pid, 1) for qid, pid in rows], version)


def order_labels(version: QrelVersion) -> Labels:
    """Return a version's levels of preference: from 1, each query's lowest, to that of its best answers."""
    orders = preference_orders(version)
    covered = version.queries.order_by("query__position", "query_id").values_list("query__qid", flat=True)
    rows = [
        (qid, pid, len(orders[qid]) - place)
        for qid in covered
        if qid in orders
        for place, level in enumerate(orders[qid])
        for pid in level
    ]
    return replace(labels_of_rows(f"@{version.number}{ORDER}", 1, rows, version), ordinal=True)


def labels_of_rows(
    name: str, min_grade: int, rows: list[tuple[str, str, int]], version: QrelVersion | None = None
) -> Labels:
    """Return labels of (qid, pid, grade) rows, in query order."""
    place: dict[str, int] = {}
    query = np.array([place.setdefault(qid, len(place)) for qid, _, _ in rows], dtype=np.int64)
    grades = np.array([grade for _, _, grade in rows], dtype=np.int64)
    return Labels(name, min_grade, tuple(place), query, tuple(pid for _, pid, _ in rows), grades, version)
