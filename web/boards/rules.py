"""A board's rules on pages: its submission policy with each team's usage, and its private queries."""

from typing import Any

from django.db.models import Count

from config import clock
from leaderboard.scoring.labels import qrel_set_labels
from pooling.models import Collection, CollectionChange, QrelSet, Query, QuerySplit, Run
from pooling.services.members import may
from pooling.services.query_splits import private_qids
from pooling.services.submission_policies import (
    LOGGED,
    PUBLIC_LISTS,
    RELEASED_AFTER,
    field_label,
    policy_of,
    teams_under,
)
from pooling.services.withholding import hiding_decimals
from tournament.models import QrelVersion
from web.boards.forms import PolicyForm, SplitForm
from web.common.visibility import sees_everything

CHANGES_SHOWN = 20
QIDS_SHOWN = 20


def policy_page(collection: Collection, user: Any, form: PolicyForm | None = None) -> dict[str, Any]:
    """Return the policy page; members also see each team's usage and who set the policy."""
    policy, members = policy_of(collection), sees_everything(user, collection)
    changes = CollectionChange.objects.filter(collection=collection, what__startswith=LOGGED).order_by("-pk")
    may_change = may(user, "set policy", collection)
    today = clock.now().date()
    return {
        "collection": collection,
        "policy": policy,
        "asked": [field_label(name, collection) for name in policy.required] if policy else [],
        "release_after": RELEASED_AFTER[policy.release_after] if policy else "",
        "public_list": PUBLIC_LISTS[policy.public_list] if policy else "",
        "today": today,
        "qrel_sets": _sets_with_decimals(collection) if may_change else [],
        "published": collection.visibility == Collection.Visibility.PUBLISHED,
        "teams": teams_under(policy, today=today) if policy and members else [],
        "members": members,
        "changes": changes[:CHANGES_SHOWN] if members else [],
        "may_change": may_change,
        "may_send": may(user, "submit run", collection),
        "form": (form or PolicyForm(None, collection=collection, policy=policy)) if may_change else None,
    }


def _sets_with_decimals(collection: Collection) -> list[dict[str, Any]]:
    """Return the qrel sets, with the decimals of a mean that everybody would see if the set were withheld."""
    sets = QrelSet.objects.filter(collection=collection).order_by("name")
    rows = sets.annotate(covered=Count("qrels__query", distinct=True))
    return [{"set": row, "covered": row.covered, "decimals": hiding_decimals(row.covered)} for row in rows]


def split_page(collection: Collection, user: Any, form: SplitForm) -> dict[str, Any]:
    """Return the private queries, or a preview of them, and the results that were visible before."""
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
