"""A board's rules on pages: its submission policy with each team's usage, and its private queries."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q

from config import clock
from leaderboard.scoring.labels import qrel_set_labels
from pooling.collections.members import may
from pooling.labels.query_splits import private_qids
from pooling.labels.withheld_labels import hiding_decimals
from pooling.models import (
    Collection,
    CollectionChange,
    PooledPassage,
    PrivateQuery,
    Qrel,
    QrelSet,
    Query,
    QuerySplit,
    Run,
)
from pooling.teams.submission_policies import (
    LOGGED,
    PUBLIC_LISTS,
    RELEASED_AFTER,
    field_label,
    policy_of,
    teams_under,
)
from tournament.models import QrelVersion
from web.boards.forms import PolicyForm, SplitForm
from web.common.visibility import sees_everything

CHANGES_SHOWN = 20
QIDS_SHOWN = 20


def policy_page(collection: Collection, user: Any, form: PolicyForm | None = None) -> dict[str, Any]:
    """Return the data of the policy page. Members also see each team's usage and who changed the policy."""
    policy, members = policy_of(collection), sees_everything(user, collection)
    changes = CollectionChange.objects.filter(collection=collection, what__startswith=LOGGED).order_by("-pk")
    may_change = may(user, "set policy", collection)
    now = clock.now()
    return {
        "collection": collection,
        "policy": policy,
        "asked": [field_label(name, collection) for name in policy.required] if policy else [],
        "release_after": RELEASED_AFTER[policy.release_after] if policy else "",
        "public_list": PUBLIC_LISTS[policy.public_list] if policy else "",
        "today": now.date(),
        "qrel_sets": _sets_with_decimals(collection) if may_change else [],
        "published": collection.visibility == Collection.Visibility.PUBLISHED,
        "teams": teams_under(policy, now=now) if policy and members else [],
        "members": members,
        "changes": changes[:CHANGES_SHOWN] if members else [],
        "may_change": may_change,
        "may_send": may(user, "submit run", collection),
        "form": (form or PolicyForm(None, collection=collection, policy=policy)) if may_change else None,
    }


def _sets_with_decimals(collection: Collection) -> list[dict[str, Any]]:
    """Return the qrel sets, each with the decimals to which public means would be rounded if it were withheld."""
    private = PrivateQuery.objects.filter(split__collection=collection).values("query")
    rows = QrelSet.objects.filter(collection=collection).annotate(
        covered=Count("qrels__query", distinct=True),
        public=Count("qrels__query", distinct=True, filter=~Q(qrels__query__in=private)),
    )
    return [
        {"set": row, "covered": row.covered, "decimals": hiding_decimals(row.public)}
        for row in rows.order_by("name")
    ]


@dataclass(frozen=True)
class LabelsToPublish:
    """A preview of what everybody can see once a withheld qrel set is published.

    ``passages``: number of labeled passages that neither other labels nor a pooled run make public. ``texts``: number
    of these passages that have a text. ``decimals``: the policy's number of decimals for public means; None means
    all. ``derived``: document labels created from these labels.
    """

    set: QrelSet
    to_everybody: bool
    labels: int
    queries: int
    private_labels: int
    passages: int
    texts: int
    decimals: int | None
    versions: int
    still_withheld: tuple[str, ...]
    derived: tuple[QrelSet, ...]


def labels_to_publish(qrel_set: QrelSet) -> LabelsToPublish:
    """Return a preview of publishing a withheld qrel set. Labels of private queries stay members-only."""
    collection, policy = qrel_set.collection, policy_of(qrel_set.collection)
    private = private_qids(collection)
    labels = Qrel.objects.filter(qrel_set=qrel_set)
    told = labels.exclude(query__qid__in=private) if private else labels
    elsewhere = Qrel.objects.filter(qrel_set__withheld=False, passage=OuterRef("passage"))
    pooled = PooledPassage.objects.filter(passage=OuterRef("passage")).exclude(run_ids=[])
    only = told.filter(~Exists(elsewhere), ~Exists(pooled))
    others = QrelSet.objects.filter(collection=collection, withheld=True).exclude(pk=qrel_set.pk)
    count = told.count()
    return LabelsToPublish(
        set=qrel_set,
        to_everybody=collection.visibility == Collection.Visibility.PUBLISHED,
        labels=count,
        queries=told.values("query").distinct().count(),
        private_labels=labels.count() - count,
        passages=only.values("passage").distinct().count(),
        texts=only.exclude(passage__text=None).values("passage").distinct().count(),
        decimals=policy.public_decimals if policy else None,
        versions=QrelVersion.objects.filter(collection=collection).count(),
        still_withheld=tuple(others.order_by("name").values_list("name", flat=True)),
        derived=tuple(QrelSet.objects.filter(mapped_from=qrel_set).order_by("name")),
    )


def split_page(collection: Collection, user: Any, form: SplitForm) -> dict[str, Any]:
    """Return the data of the split page: private queries or a preview, and counts of what is already published."""
    split = QuerySplit.objects.filter(collection=collection).first()
    queries = Query.objects.filter(collection=collection).count()
    private = private_qids(collection) if split else form.parted.qids if form.parted else ()
    labels = collection.default_labels()
    labeled = qrel_set_labels(labels).qids if labels else ()
    privately = len(set(labeled).intersection(private))
    return {
        "collection": collection,
        "split": split,
        "share": 100 * split.share if split and split.share is not None else None,
        "queries": queries,
        "private": len(private),
        "public": queries - len(private),
        "labels": labels,
        "private_labeled": privately,
        "public_labeled": len(labeled) - privately,
        "qids": sorted(private)[:QIDS_SHOWN],
        "more": max(0, len(private) - QIDS_SHOWN),
        "parted": form.parted,
        "form": form,
        "may_split": may(user, "split queries", collection),
        "published": collection.visibility == Collection.Visibility.PUBLISHED,
        "versions": QrelVersion.objects.filter(collection=collection).count(),
        "released": Run.objects.released().filter(collection=collection).count(),
    }
