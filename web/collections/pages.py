from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.shortcuts import get_object_or_404

from config import clock
from judging.campaign.duplicate_classes import depends_on_classes
from pooling.collections.members import may, sees_results, visible_to
from pooling.intake.quotas import keys_that_failed
from pooling.labels.query_splits import private_qids
from pooling.models import (
    Collection,
    Membership,
    NewCollection,
    PassageSource,
    Pool,
    QrelSet,
    Query,
    Run,
    RunUpload,
)
from pooling.passages.clusters import cluster_set_of
from tournament.models import QrelVersion
from web.boards.cards import board_cards
from web.collections.next_steps import Holdings, Step, collection_steps
from web.common.campaign_rows import (
    CampaignLists,
    campaigns_of,
    campaigns_progress,
    shown_to_everybody,
    sorted_into_lists,
)
from web.common.label_notices import label_notices
from web.common.row_counts import count_by
from web.common.visibility import listed_everywhere, opened_runs, sees_everything
from web.grading.summaries import graded_progress
from web.runs.pages import new_runs
from web.runs.upload_pages import STATES
from web.webhooks import pages as listing

RUNS_SHOWN = 10
#: How long a refusal is listed.
REFUSALS_LISTED = timedelta(days=7)


@dataclass(frozen=True)
class ListedCollection:
    collection: Collection
    queries: int
    runs: int
    pools: int
    versions: int


def listed_collections(user: Any) -> list[ListedCollection]:
    """Return every collection that this person can see, with counts; only visible runs are counted."""
    collections = list(visible_to(user).order_by("name"))
    countable = (Query.objects.all(), listed_everywhere(user), Pool.objects.all(), QrelVersion.objects.all())
    counts = [count_by(rows, "collection") for rows in countable]
    return [ListedCollection(row, *(count[row.pk] for count in counts)) for row in collections]


def seen_by_everybody(collection: Collection) -> dict[str, Any]:
    """Return counts of the objects that everybody would see if the collection were published."""
    runs = Counter(Run.objects.filter(collection=collection).values_list("release", flat=True))
    names = Run.objects.filter(collection=collection, release=Run.Release.PUBLIC).order_by("run_tag")
    private = private_qids(collection)
    public_labels = Count("qrels", filter=~Q(qrels__query__qid__in=private))
    return {
        "collection": collection,
        "runs": {level: runs[level] for level in Run.Release.values},
        "public_runs": list(names.values_list("run_tag", flat=True)[:RUNS_SHOWN]),
        "queries": Query.objects.filter(collection=collection).count() - len(private),
        "private_queries": len(private),
        "qrel_sets": _sets_with_counts(collection).annotate(public_labels=public_labels),
        "versions": QrelVersion.objects.filter(collection=collection).count(),
        "campaigns": shown_to_everybody(collection),
    }


def next_step(collection: Collection, user: Any) -> Step | None:
    """Return the collection's next step; None for non-members, and if no step is left."""
    if not sees_everything(user, collection):
        return None
    steps = collection_steps(collection, _holdings(collection, user, member=True), user)
    return next((step for step in steps if step.is_next), None)


def _holdings(collection: Collection, user: Any, *, member: bool) -> Holdings:
    campaigns = collection_campaigns(collection, user).current
    return Holdings(
        queries=Query.objects.filter(collection=collection).count(),
        passage_files=PassageSource.objects.filter(collection=collection).count(),
        runs=opened_runs(collection, user).count(),
        qrel_sets=QrelSet.objects.filter(collection=collection).count(),
        pools=Pool.objects.filter(collection=collection).count(),
        campaigns=campaigns,
        versions=QrelVersion.objects.filter(collection=collection).count(),
        new_runs=new_runs([collection]).count() if member else 0,
        graded=graded_progress([collection]) if member else [],
        clusters=clusters.classes if member and (clusters := cluster_set_of(collection)) else 0,
        classes_fixed=member and bool(depends_on_classes(collection)),
    )


def collection_page(collection: Collection, user: Any) -> dict[str, Any]:
    """Return the data for a collection's page."""
    member = sees_everything(user, collection)
    held = _holdings(collection, user, member=member)
    results = member or sees_results(user, collection)
    may_hook = may(user, "manage webhooks", collection)
    return {
        "collection": collection,
        "held": held,
        "steps": collection_steps(collection, held, user) if member else [],
        "results": results,
        "cards": board_cards([collection], user) if held.runs and held.qrel_sets else [],
        "qrel_sets": _sets_with_counts(collection),
        "label_notices": label_notices(collection, user).values() if results else [],
        "may_add": may(user, "add files", collection),
        "versions": QrelVersion.objects.filter(collection=collection)
        .select_related("campaign")
        .defer("manifest")
        .order_by("-number"),
        "assesses": not member and may(user, "assess", collection),
        "may_describe": may(user, "describe collection", collection),
        "webhook_troubles": listing.troubles([collection.pk]) if may_hook else [],
    }


def collection_campaigns(collection: Collection, user: Any) -> CampaignLists:
    """Return the collection's campaigns that the person sees, with their progress."""
    return sorted_into_lists(campaigns_progress(campaigns_of([collection], user), user))


def settings_page(collection: Collection, user: Any) -> dict[str, Any]:
    """Return the data of a collection's settings page, with the permissions of this person."""
    return {
        "collection": collection,
        "may_describe": may(user, "describe collection", collection),
        "may_hook": may(user, "manage webhooks", collection),
        "members": Membership.objects.filter(collection=collection).count(),
        "private_queries": len(private_qids(collection)),
        "clusters": cluster_set_of(collection),
    }


def _sets_with_counts(collection: Collection) -> QuerySet[Any]:
    sets = QrelSet.objects.filter(collection=collection).order_by("name")
    return sets.annotate(labels=Count("qrels"), covered=Count("qrels__query", distinct=True))


def membership_or_404(collection: Collection, key: int) -> Membership:
    """Return a membership of the collection. Raises Http404."""
    rows = Membership.objects.select_related("user", "collection")
    return get_object_or_404(rows, collection=collection, pk=key)


def unmade_collections(user: Any) -> list[NewCollection]:
    """Return the person's waiting and recently refused requests for collections, newest first, with states in words.

    A refusal is left out once the person has requested a collection of that name again.
    """
    if not user.is_authenticated:
        return []
    state = NewCollection.State
    mine = NewCollection.objects.filter(user=user.pk)
    again = mine.filter(name=OuterRef("name"), pk__gt=OuterRef("pk"))
    lately = Q(state=state.REFUSED, finished_at__gt=clock.now() - REFUSALS_LISTED) & ~Exists(again)
    listed = list(mine.filter(Q(state__in=[state.RECEIVING, state.WAITING]) | lately).order_by("-pk"))
    failed = keys_that_failed(one for one in listed if one.state == state.WAITING)
    for one in listed:
        said = "check failed" if one.job_key in failed else STATES[RunUpload.State(one.state)]
        one.words = said  # type: ignore[attr-defined]
    return listed
