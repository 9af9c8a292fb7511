"""Find versions that reveal withheld labels: a best answer was pooled only because of such a label."""

import re

from django.db.models import Exists, OuterRef

from pooling.labels.withheld_labels import withheld_names
from pooling.models import Collection, PooledPassage, Qrel
from tournament.models import PreferenceQrel


def telling_versions(collection: Collection) -> frozenset[int]:
    """Return the numbers of the versions whose per-query values would reveal a withheld label.

    If a query's best answer was pooled only because of a withheld label, its rank in a run is the rank of the labeled
    passage. Anybody with the run's ranking can then identify that passage.
    """
    same = {"query": OuterRef("query"), "passage": OuterRef("passage")}
    labeled = Qrel.objects.filter(qrel_set__collection=collection, **same)
    supplied = PooledPassage.objects.filter(pool__collection=collection, **same).exclude(run_ids=[])
    best = (
        PreferenceQrel.objects.filter(version__collection=collection)
        .filter(Exists(labeled.filter(qrel_set__withheld=True)))
        .exclude(Exists(labeled.filter(qrel_set__withheld=False)))
        .exclude(Exists(supplied))
    )
    return frozenset(best.values_list("version__number", flat=True).distinct())


def plain_labels(name: str) -> str:
    """Return a label set's name as :func:`withheld_labels` spells it: ``@02:order`` becomes ``@2``."""
    number = re.fullmatch(r"@0*([0-9]+)(:order)?", name)
    return f"@{number[1]}" if number else name


def withheld_labels(collection: Collection) -> frozenset[str]:
    """Return the names of withheld qrel sets, and of versions that reveal them (``@n``)."""
    names = withheld_names(collection)
    if not names:
        return names
    return names | {f"@{number}" for number in telling_versions(collection)}
