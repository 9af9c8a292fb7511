"""Withhold labels: non-members see scores computed with them, but not the labels themselves."""

from django.db import transaction
from django.db.models import Count, Q

from config.plurals import many
from pooling.collections.members import log
from pooling.models import Collection, PrivateQuery, QrelSet, SubmissionPolicy


def withhold_labels(qrel_set: QrelSet, *, withheld: bool = True, who: str = "", why: str = "") -> bool:
    """Withhold a qrel set's labels, or publish them; return whether that changed anything.

    Withholding labels later does not undo copies made while they were public.
    """
    with transaction.atomic():
        changed = QrelSet.objects.filter(pk=qrel_set.pk).exclude(withheld=withheld).update(withheld=withheld)
        if changed:
            said = f"labels {qrel_set.name} {'withheld' if withheld else 'not withheld anymore'}"
            log(qrel_set.collection, said + (f" ({why.strip()})" if why.strip() else ""), who=who)
    qrel_set.withheld = withheld
    return bool(changed)


def withheld_names(collection: Collection) -> frozenset[str]:
    """Return the names of the collection's withheld qrel sets."""
    sets = QrelSet.objects.filter(collection=collection, withheld=True)
    return frozenset(sets.values_list("name", flat=True))


def hiding_decimals(queries: int) -> int:
    """Return the largest number of decimals of a mean over ``queries`` queries that hides the effect of one query.

    A query adds at most 1/queries to a mean of values between 0 and 1. This must round to zero, so that a run that
    answers a single query looks like a run that answers none. Up to twenty queries, there are no decimals.
    """
    return max(0, len(str((queries - 1) // 2)) - 1) if queries > 0 else 0


def safe_decimals(collection: Collection) -> int | None:
    """Return the most decimals at which no mean reveals a single public query's value.

    The withheld set that covers the fewest public queries determines the number. Returns None if no set is withheld.
    """
    private = PrivateQuery.objects.filter(split__collection=collection).values("query")
    covered = Count("qrels__query", distinct=True, filter=~Q(qrels__query__in=private))
    sets = QrelSet.objects.filter(collection=collection, withheld=True).annotate(covered=covered)
    return min((hiding_decimals(one.covered) for one in sets), default=None)


def decimals_warnings(policy: SubmissionPolicy | None) -> list[str]:
    """Return a list with a warning if the policy's decimals can reveal withheld labels, else an empty list."""
    if policy is None or policy.public_decimals is None:
        return []
    safe = safe_decimals(policy.collection)
    if safe is None or policy.public_decimals <= safe:
        return []
    shown, most = many(policy.public_decimals, "decimal"), many(safe, "decimal")
    return [
        f"Values with {shown} can reveal single queries of the withheld labels. "
        f"Publish at most {most}, or leave the number of decimals empty."
    ]


def published_decimals(policy: SubmissionPolicy | None, *, withheld: bool, queries: int) -> int | None:
    """Return how many decimals of a mean over ``queries`` queries are public; None: all of them.

    The policy's number takes precedence. Without one, :func:`hiding_decimals` applies to withheld labels.
    """
    if policy is not None and policy.public_decimals is not None:
        return policy.public_decimals
    return hiding_decimals(queries) if withheld else None
