"""Visibility rules, all in one place.

A collection is private (visible to people with a role in it; see pooling.services.members) or published. A run is
released as *public* (everything), *scores* (its values, not its passages) or *private* (nothing). Members see
everything; everyone else who sees the collection sees what is released. A passage is shown to everyone if a public
run supplied it, if a qrel set contains it, or if no run is known to have supplied it (as with imported judgments). If
a qrel set is withheld, a passage is shown only if a public run or another qrel set has it, so that no page reveals a
labeled passage. Pages check a passage per query; published bundles check it across all queries (``held_back``).
Results on private queries are shown to members only; the author and time of a run under embargo, to members and the
run's team. An assessor of a private collection sees no runs.
"""

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from pooling.models import Collection, Passage, PooledPassage, Qrel, Query, Run
from pooling.models.collections import RELEASED, RunQuerySet
from pooling.services.members import joined_by, may, sees_results, visible_to
from pooling.services.query_splits import private_qids
from pooling.services.runs import tops_of
from pooling.services.teams import own_team_filter, scores_shown_filter, team_of
from pooling.trec import unanswered_words
from tournament.models import ChallengedQuery, PreferenceQrel, QrelVersion

Place = tuple[int, int]


def sees_everything(user: Any, collection: Collection) -> bool:
    """Return whether this person sees unreleased data of the collection."""
    return may(user, "see everything", collection)


def listed_runs(collection: Collection, user: Any) -> RunQuerySet:
    """Return the runs whose name and values this person can see, sorted by tag.

    A submitter sees the team's own unreleased runs only if the policy lets teams see their scores.
    """
    return _runs_seen(collection, user, scores_shown_filter)


def opened_runs(collection: Collection, user: Any) -> RunQuerySet:
    """Return the runs whose page this person can open, sorted by tag: released runs, and all runs of their team.

    Members can open all runs; people who see no results, none. Of a team's unreleased runs, only those in
    :func:`listed_runs` are shown with their values.
    """
    return _runs_seen(collection, user, own_team_filter)


def _runs_seen(
    collection: Collection, user: Any, own_unreleased: Callable[[Any, Collection], Q]
) -> RunQuerySet:
    runs = Run.objects.filter(collection=collection).order_by("run_tag")
    if sees_everything(user, collection):
        return runs
    if not sees_results(user, collection):
        return runs.none()
    return runs.filter(RELEASED | own_unreleased(user, collection))


def listed_everywhere(user: Any) -> QuerySet[Run]:
    """Return the runs of all collections that this person can see: as a member, all; elsewhere, released runs.

    Assessors of a private collection see none. Unlike in :func:`listed_runs`, a team's unreleased runs are left out.
    """
    released = Run.objects.released().filter(collection__in=visible_to(user, results=True))
    return Run.objects.filter(Q(collection__in=joined_by(user)) | Q(pk__in=released.values("pk")))


def hidden_queries(collection: Collection, user: Any) -> frozenset[str]:
    """Return the qids of private queries whose results this person cannot see."""
    return frozenset() if sees_everything(user, collection) else private_qids(collection)


def own_team(user: Any, collection: Collection) -> str:
    """Return the name of the person's team here, or an empty text."""
    team = team_of(user, collection)
    return team.name if team else ""


def as_shown(run: Run, everything: bool, team: str = "") -> Run:
    """Return the run as shown: during an embargo, only members and ``team`` see its author and time of import.

    Do not save it.
    """
    if not everything and run.is_anonymous and (not team or run.team != team):
        run.without_author().team = f"anonymous until {run.anonymous_until}"
    return run


def shown_runs(collection: Collection, user: Any, runs: Iterable[Run] | None = None) -> dict[str, Run]:
    """Return run tag → run as this person sees it. Do not save the runs.

    ``runs``: runs whose values the person can see; None for all of these.
    """
    everything, team = sees_everything(user, collection), own_team(user, collection)
    found = listed_runs(collection, user) if runs is None else runs
    return {run.run_tag: as_shown(run, everything, team) for run in found}


def shown_teams(collection: Collection, user: Any) -> dict[str, str]:
    """Return run tag → team as this person sees it, for runs whose values the person can see."""
    return {tag: run.team for tag, run in shown_runs(collection, user).items()}


def without_queries(run: Run, hidden: Container[str]) -> Run:
    """Return the run with a report that names no hidden queries. Do not save it."""
    run.report = without_private(run.report, hidden)
    return run


def without_private(report: dict[str, Any], hidden: Container[str]) -> dict[str, Any]:
    """Return the report of a check without the names and the number of hidden queries."""
    told = {name: value for name, value in report.items() if name != "unanswered_private"}
    listed = {name: report[name] for name in ("unanswered", "skipped") if name in report}
    told |= {name: [qid for qid in qids if qid not in hidden] for name, qids in listed.items()}
    if not hidden or "unanswered" not in report:
        return told
    every = report.get("unanswered_count", len(listed["unanswered"]))
    # The report of an upload lists only the first unanswered queries, and states how many were private.
    left = every - report.get("unanswered_private", len(listed["unanswered"]) - len(told["unanswered"]))
    if "unanswered_count" in told:
        told["unanswered_count"] = left
    if "warnings" in told:
        warned = {unanswered_words(every): unanswered_words(left) if left else ""}
        warnings = [warned.get(words, words) for words in told["warnings"]]
        told["warnings"] = [words for words in warnings if words]
    return told


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
    sight = Sight(sees_everything(user, collection), runs=runs, labels_withheld=bool(withheld))
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


def sight_on_answers(version: QrelVersion, queries: Sequence[Query] | None, user: Any) -> Sight:
    """Return which best answers of a version the person can see. For members, no suppliers are looked up."""
    if sees_everything(user, version.collection):
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
    """Return the keys of the challengers, and of passages with the same text as a challenger or best answer."""
    further = [row.members.get(str(key), []) for key in (*row.challenger_ids, *row.best_ids)]
    return set(row.challenger_ids).union(*further)


def hides_texts(collection: Collection, user: Any) -> bool:
    """Return whether withheld labels hide some texts from this person."""
    return not sees_everything(user, collection) and collection.qrel_sets.filter(withheld=True).exists()


def texts_of_ranked(collection: Collection, pids: Iterable[str], user: Any) -> dict[str, str]:
    """Return pid → text of passages in rankings that the person sees.

    While labels are withheld, non-members see only texts of passages that other labels contain or that a run brought
    into a pool. Otherwise, the presence of a text could reveal a withheld label.
    """
    known = Passage.objects.filter(collection=collection, pid__in=list(pids)).exclude(text=None)
    if hides_texts(collection, user):
        elsewhere = Qrel.objects.filter(qrel_set__withheld=False, passage=OuterRef("pk"))
        pooled = PooledPassage.objects.filter(passage=OuterRef("pk")).exclude(run_ids=[])
        known = known.filter(Exists(elsewhere) | Exists(pooled))
    return {pid: text for pid, text in known.values_list("pid", "text") if text}
