"""Which passages a person can see: one rule for pages, bundles and exports.

A passage is shown to everyone if a public run supplied it, if a qrel set contains it, or if no run is known to have
supplied it (as with imported judgments). If a qrel set is withheld, a passage is shown only if a public run or
another qrel set has it, so that nothing reveals a labeled passage. Members see everything. Pages check a passage per
query; files for others (bundles and exports) also check it across all queries (``public_sight``).
"""

from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.contrib.auth.models import AnonymousUser

from pooling.collections.members import may
from pooling.models import Collection, Passage, PooledPassage, Qrel, Query, Run
from pooling.runs.runs import tops_of
from tournament.models import ChallengedQuery, PreferenceQrel, QrelVersion

Place = tuple[int, int]


@dataclass(frozen=True)
class Sight:
    """The passages of some queries that a person can see. A ``Place`` is (query key, passage key)."""

    everything: bool
    suppliers: dict[Place, set[int]] = field(default_factory=lambda: defaultdict(set))
    released: set[Place] = field(default_factory=set)
    runs: dict[int, Run] = field(default_factory=dict)
    held: frozenset[int] = frozenset()
    labels_withheld: bool = False
    """Whether the collection withholds labels, so that a passage without a supplier may come from them."""

    def sees(self, query: int, passage: int) -> bool:
        if passage in self.held:
            return False
        if self.everything or (query, passage) in self.released:
            return True
        supplied_by = self.suppliers.get((query, passage), set())
        if not supplied_by:
            return not self.labels_withheld
        return any(self._is_public(run) for run in supplied_by)

    @property
    def hides_singletons(self) -> bool:
        """Whether a singleton is shown as closed: to non-members while labels are withheld.

        Otherwise, the status would reveal the label of the only passage in the pool.
        """
        return self.labels_withheld and not self.everything

    def status(self, status: str) -> str:
        """Return a query's status as shown to the person."""
        return "closed" if self.hides_singletons and status == "singleton" else status

    def held_back(self, told: Container[int]) -> frozenset[int]:
        """Return the passages that are not shown for any query.

        No public run or shown label has them, but another run supplied them or, while labels are withheld, a withheld
        label may contain them. A gold pair can show a passage under another query, for which no run supplied it.
        ``told`` are the keys of queries whose results can be shown; this instance must cover all queries.
        """
        if self.everything:
            return frozenset()
        places = [(place, runs) for place, runs in self.suppliers.items() if place[0] in told]
        shown = {passage for (_, passage), runs in places if any(map(self._is_public, runs))}
        shown |= {passage for query, passage in self.released if query in told}
        free = {passage for (_, passage), runs in places if not runs and not self.labels_withheld}
        supplied = {passage for (_, passage), runs in self.suppliers.items() if runs}
        known = {passage for _, passage in (*self.suppliers, *self.released)}
        return frozenset(known - shown - (free - supplied))

    def shown_suppliers(self, query: int, passage: int) -> list[Run]:
        """Return the visible runs that had the passage on top, sorted by tag."""
        keys = self.suppliers.get((query, passage), set())
        shown = [
            self.runs[key] for key in keys if key in self.runs and (self.everything or self._is_public(key))
        ]
        return sorted(shown, key=lambda run: run.run_tag)

    def names(self, run_tag: str) -> bool:
        """Return whether the run with this tag can be named as a supplier of passages."""
        return any(run.run_tag == run_tag and self._is_public(run.pk) for run in self.runs.values())

    def _is_public(self, run: int) -> bool:
        return run in self.runs and self.runs[run].is_public


def sight_of(
    collection: Collection, queries: Sequence[Query] | None, user: Any, *, passages: Any = None
) -> Sight:
    """Return which passages of these queries (None: all) the person can see, in a fixed number of database queries.

    ``passages`` (keys, or a database query for them) narrows this down to some of the queries' passages.
    """
    among = {} if queries is None else {"query__in": [query.pk for query in queries]}
    those = among if passages is None else {"passage__in": passages}
    runs = {run.pk: run for run in Run.objects.filter(collection=collection)}
    withheld = set(collection.qrel_sets.filter(withheld=True).values_list("pk", flat=True))
    sight = Sight(may(user, "see everything", collection), runs=runs, labels_withheld=bool(withheld))
    pooled = PooledPassage.objects.filter(pool__collection=collection, **those).values_list(
        "query_id", "passage_id", "run_ids", "is_qrel", "pool__qrel_set"
    )
    for query, passage, run_ids, is_qrel, qrel_set in pooled:
        sight.suppliers[query, passage] |= set(run_ids)
        if is_qrel and qrel_set not in withheld:
            sight.released.add((query, passage))
    labeled = Qrel.objects.filter(qrel_set__collection=collection, **those).exclude(qrel_set__in=withheld)
    sight.released.update(labeled.values_list("query_id", "passage_id"))
    _add_challengers(sight, collection, among)
    return sight


def public_sight(collection: Collection, private: Iterable[str] = ()) -> Sight:
    """Return which passages files for others can name, checked per query and across all queries.

    ``private`` are the qids of queries that the file leaves out, so that they do not make a passage public.
    """
    every = sight_of(collection, None, AnonymousUser())
    left_out = Query.objects.filter(collection=collection, qid__in=private).values_list("pk", flat=True)
    told = {query for query, _ in (*every.suppliers, *every.released)} - set(left_out)
    return replace(every, held=every.held_back(told))


def sight_on_answers(version: QrelVersion, queries: Sequence[Query] | None, user: Any) -> Sight:
    """Return which best answers of a version the person can see. For members, no suppliers are looked up."""
    if may(user, "see everything", version.collection):
        return Sight(everything=True)
    best = PreferenceQrel.objects.filter(version=version)
    best = best if queries is None else best.filter(query__in=[query.pk for query in queries])
    return sight_of(version.collection, queries, user, passages=best.values("passage"))


def _add_challengers(sight: Sight, collection: Collection, among: dict[str, Any]) -> None:
    """Add the suppliers of challengers: the challenge's runs that had them on top.

    Challengers are in no pool, so no pool records their suppliers.
    """
    by_tag = {run.run_tag: run for run in sight.runs.values()}
    rows = list(
        ChallengedQuery.objects.filter(challenge__campaign__collection=collection, **among).select_related(
            "challenge", "query"
        )
    )
    brought = {row.pk: _challenging_passages(row) for row in rows}
    keys = set().union(*brought.values())
    pid_of = dict(Passage.objects.filter(pk__in=keys).values_list("pk", "pid")) if keys else {}
    tags = {tag for row in rows for tag in row.challenge.run_tags if tag in by_tag}
    tops = {tag: tops_of(by_tag[tag]) for tag in tags}
    for row in rows:
        for tag in tags.intersection(row.challenge.run_tags):
            on_top = tops[tag].get(row.query.qid, ())[:1]
            for passage in brought[row.pk]:
                if pid_of.get(passage) in on_top:
                    sight.suppliers[row.query_id, passage].add(by_tag[tag].pk)


def _challenging_passages(row: ChallengedQuery) -> set[int]:
    """Return the keys of the challengers, and of further passages in the classes of challengers and best answers."""
    further = [row.members.get(str(key), []) for key in (*row.challenger_ids, *row.best_ids)]
    return set(row.challenger_ids).union(*further)
