"""Visibility rules of collections, runs and queries, all in one place.

A collection is private (visible to people with a role in it; see pooling.collections.members) or published. A run is
released as *public* (everything), *scores* (its values, not its passages) or *private* (nothing). Members see
everything; everyone else who sees the collection sees what is released. Which passages a person sees is decided in
tournament.services.passage_visibility. Results on private queries are shown to members only; the author and time of a
run under embargo, to members and the run's team. An assessor of a private collection sees no runs.
"""

from collections.abc import Callable, Container, Iterable
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from pooling.collections.members import joined_by, may, sees_results, visible_to
from pooling.files.trec import unanswered_words
from pooling.labels.query_splits import private_qids
from pooling.models import Collection, Passage, PooledPassage, Qrel, Run
from pooling.models.collections import RELEASED, RunQuerySet
from pooling.teams.teams import own_team_filter, scores_shown_filter, team_of


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
    if every and "warnings" in told:
        told["warnings"] = [*([unanswered_words(left)] if left else []), *told["warnings"][1:]]
    return told


def hides_texts(collection: Collection, user: Any) -> bool:
    """Return whether withheld labels hide some texts from this person."""
    return not sees_everything(user, collection) and collection.qrel_sets.filter(withheld=True).exists()


def texts_of_ranked(collection: Collection, pids: Iterable[str], user: Any) -> dict[str, str]:
    """Return pid → text of passages in rankings that the person sees.

    While labels are withheld, non-members see only texts of passages that other labels contain or that a run brought
    into a pool. Otherwise, the presence of a text could reveal a withheld label. The rankings are visible anyway, so
    it does not matter whether that run is public, unlike in ``tournament.services.passage_visibility``.
    """
    known = Passage.objects.filter(collection=collection, pid__in=list(pids)).exclude(text=None)
    if hides_texts(collection, user):
        elsewhere = Qrel.objects.filter(qrel_set__withheld=False, passage=OuterRef("pk"))
        pooled = PooledPassage.objects.filter(passage=OuterRef("pk")).exclude(run_ids=[])
        known = known.filter(Exists(elsewhere) | Exists(pooled))
    return {pid: text for pid, text in known.values_list("pid", "text") if text}
