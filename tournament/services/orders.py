"""The preference order of every query of a version, derived from the judgments that decided it."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from tournament.levels import Lead, preference_levels
from tournament.models import PreferenceQrel, QrelVersion
from tournament.services.judged_facts import Classes, Judgments, representatives
from tournament.services.publication import version_numbered
from tournament.services.rebuilt_versions import Keys, named_judgments

#: qid → levels, most preferred first; each level is a list of pids.
Orders = dict[str, list[list[str]]]


def preference_orders(version: QrelVersion) -> Orders:
    """Return the levels of every query that the version covers; see :func:`tournament.levels.preference_levels`.

    The levels come from the judgments that the manifest names. For a carried query, this is the manifest of the
    version that decided it. The first level is the published best answers. Every member of a class has the level of
    its representative. Classes without a counted judgment have no level, except best answers. Raises
    :class:`RebuildDiffers` if the judgments have changed.
    """
    best: dict[str, set[str]] = defaultdict(set)
    rows = PreferenceQrel.objects.filter(version=version)
    for qid, pid in rows.values_list("query__qid", "passage__pid"):
        best[qid].add(pid)
    carried: dict[str, int] = version.content["carried"]
    decided: dict[int, set[str]] = defaultdict(set)
    for qid in best:
        decided[carried.get(qid, version.number)].add(qid)
    orders: Orders = {}
    for number, qids in sorted(decided.items()):
        origin = version if number == version.number else version_numbered(version.collection, number)
        orders |= _orders_of(origin, {qid: best[qid] for qid in qids})
    return orders


def _orders_of(version: QrelVersion, best: dict[str, set[str]]) -> Orders:
    """Return the levels of these queries (qid → best answers), which this version decided."""
    manifest = version.content
    keys = Keys.of(version.collection, manifest)
    classes = _compared_classes(keys, manifest)
    judgments = named_judgments(version.campaign, manifest, version.number)
    leads = _leads_by_query(judgments, {keys.query[qid]: classes[keys.query[qid]] for qid in best})
    orders: Orders = {}
    for qid, pids in best.items():
        members = {
            rep: [keys.pid[one] for one in passages] for rep, passages in classes[keys.query[qid]].items()
        }
        top = [rep for rep, names in members.items() if not pids.isdisjoint(names)]
        levels = preference_levels(top, leads[keys.query[qid]])
        others = levels[1:] if top else levels
        orders[qid] = [sorted(pids)] + [
            sorted(pid for rep in level for pid in members[rep]) for level in others
        ]
    return orders


def _compared_classes(keys: Keys, manifest: dict[str, Any]) -> Classes:
    """Return the classes of each query, including the passages that challenges compared."""
    classes = keys.classes(manifest)
    for challenge in manifest["challenges"]:
        for row in challenge["queries"]:
            for pid in [*row["best"], *row["challengers"]]:
                classes[keys.query[row["qid"]]].setdefault(keys.passage[pid], [keys.passage[pid]])
    keys.add_members(classes, manifest)
    return classes


def _leads_by_query(judgments: Judgments, classes: Classes) -> dict[int, list[Lead]]:
    """Map query keys to the lead of each pair of classes, counted over the judgments of all rounds.

    The side with more judgments also has the larger share of the win, in the first tournament and in challenges.
    """
    represents = representatives(classes)
    ahead: dict[tuple[int, int, int], int] = defaultdict(int)
    for query, left, right, preferred in _judgment_rows(judgments):
        a, b = represents.get((query, left)), represents.get((query, right))
        if a is not None and b is not None and a != b:  # the tournament ignores other pairs
            sign = 0 if not preferred else 1 if preferred == left else -1
            ahead[query, min(a, b), max(a, b)] += sign if a < b else -sign
    leads: dict[int, list[Lead]] = {query: [] for query in classes}
    for (query, a, b), lead in ahead.items():
        leads[query].append((a, b, lead))
    return leads


def _judgment_rows(judgments: Judgments) -> Iterable[tuple[int, int, int, int]]:
    judged = judgments.judged
    columns = (judged.query, judged.left, judged.right, judged.preferred)
    return zip(*(column.tolist() for column in columns), strict=True)
