"""Labels to score runs with: a qrel set by name, or a version as ``@n`` or ``@n:order``.

``@n`` contains the best answers of version *n*, each with grade 1. ``@n:order`` contains every passage that the
version's judgments compared, graded by level of preference. It ranks passages but does not say how good each one is.
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
from pooling.collections.lookups import qrel_set_named
from pooling.files.wanted_ranks import Wanted
from pooling.models import Collection, Qrel, QrelSet
from tournament.models import PreferenceQrel, QrelVersion
from tournament.services import preference_orders
from tournament.services.publication import version_numbered

ORDER = ":order"
"""The suffix for a version's order of preference."""
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Labels:
    """Labels: graded passages of the covered queries. Entries are in query order, then in file order."""

    name: str
    min_grade: int
    qids: tuple[str, ...]
    """The covered queries, in query order: queries with a label of any grade, as in trec_eval."""
    query: Integers
    """For each entry, the index of its query in ``qids``."""
    pids: tuple[str, ...]
    grades: Integers
    version: QrelVersion | None = None
    ordinal: bool = False
    """Whether grades are levels of preference, counted from each query's lowest level. Only their order matters."""

    @cached_property
    def sha256(self) -> str:
        """The hash of everything in the labels that values of measures depend on."""
        content = [self.min_grade, self.qids, self.query.tolist(), self.pids, self.grades.tolist()]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()

    @cached_property
    def wanted(self) -> Wanted:
        """The entries' queries and passages, to look up in rankings."""
        return Wanted(self.qids, self.query, self.pids)

    @cached_property
    def relevant(self) -> npt.NDArray[np.bool_]:
        """A mask of the entries whose passage is relevant."""
        return self.grades >= self.min_grade

    @property
    def title(self) -> str:
        """The name for display: ``version 3``, or the name of the qrel set."""
        if self.version is None:
            return self.name
        return f"version {self.version.number}{', order of preference' * self.ordinal}"

    @property
    def words(self) -> str:
        """The labels in words: ``version 3``, or ``official (relevant from grade 2)``."""
        return self.title if self.version else f"{self.name} (relevant from grade {self.min_grade})"

    @property
    def simulated(self) -> bool:
        """Whether any judge behind the labels was simulated."""
        return self.version is not None and self.version.simulated

    @cached_property
    def answerable(self) -> npt.NDArray[np.bool_]:
        """A mask of the covered queries that have a relevant passage."""
        return np.bincount(self.query[self.relevant], minlength=len(self.qids)) > 0

    @property
    def answerable_qids(self) -> list[str]:
        """The covered queries that have a relevant passage, in query order."""
        return [qid for qid, known in zip(self.qids, self.answerable, strict=True) if known]

    def entries(self) -> list[tuple[str, str, int]]:
        """Return (qid, pid, grade) for every entry."""
        qids = (self.qids[query] for query in self.query.tolist())
        return list(zip(qids, self.pids, self.grades.tolist(), strict=True))

    def with_entries(self, entries: list[tuple[str, str, int]]) -> Labels:
        """Return labels of the same name and kind with these entries. They must be in query order."""
        kept = labels_of_rows(self.name, self.min_grade, entries, self.version)
        return replace(kept, ordinal=self.ordinal)

    def without(self, qids: frozenset[str]) -> Labels:
        return self.with_entries([one for one in self.entries() if one[0] not in qids]) if qids else self

    def the_qrel(self) -> dict[str, str]:
        """Return qid → pid of the query's qrel: its relevant passage with the highest grade (the first if tied)."""
        best: dict[str, tuple[int, str]] = {}
        for qid, pid, grade in self.entries():
            if grade >= self.min_grade and (qid not in best or grade > best[qid][0]):
                best[qid] = grade, pid
        return {qid: pid for qid, (_, pid) in best.items()}

    def relevant_pids(self) -> dict[str, set[str]]:
        """Return qid → pids of the query's relevant passages."""
        pids: dict[str, set[str]] = {}
        for entry in np.flatnonzero(self.relevant).tolist():
            pids.setdefault(self.qids[self.query[entry]], set()).add(self.pids[entry])
        return pids


def labels_named(collection: Collection, name: str) -> Labels:
    """Return the labels with this name: a qrel set, or ``@n`` or ``@n:order`` for version n.

    Raises UnknownLabels for a malformed version, NoSuchVersion for an unknown one, and NotFound for an unknown qrel
    set.
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
    """Return a version's best answers, including the other passages of their classes, each with grade 1."""
    rows = (
        PreferenceQrel.objects.filter(version=version)
        .order_by("query__position", "query_id", "passage__pid")
        .values_list("query__qid", "passage__pid")
    )
    return labels_of_rows(f"@{version.number}", 1, [(qid, pid, 1) for qid, pid in rows], version)


def order_labels(version: QrelVersion) -> Labels:
    """Return a version's levels of preference as grades, from 1 for a query's lowest level up to its best answers."""
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
    """Return labels made of (qid, pid, grade) rows, which must be in query order."""
    place: dict[str, int] = {}
    query = np.array([place.setdefault(qid, len(place)) for qid, _, _ in rows], dtype=np.int64)
    grades = np.array([grade for _, _, grade in rows], dtype=np.int64)
    return Labels(name, min_grade, tuple(place), query, tuple(pid for _, pid, _ in rows), grades, version)
