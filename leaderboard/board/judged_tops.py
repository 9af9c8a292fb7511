"""Find the top passages of runs that were judged in the campaigns behind a version."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from config import kept_objects
from judging.models import Judgment
from pooling.files.ranking import Ranking
from pooling.files.wanted_ranks import Wanted, find_wanted
from pooling.models import Passage, Run
from pooling.storage import bulk
from pooling.storage.ranking_files import ranking_of
from tournament.models import PreferenceQrel, QrelVersion
from tournament.services.publication import queries_by_key
from tournament.services.resolution import pids_by_key

KEYS_AT_ONCE = 5000
Pids = dict[str, set[str]]
Top = tuple[int, str]
"""(index of the query, pid)"""


KEPT_SECONDS = 3600
"""Seconds for which a board and its judged tops are cached. The cache keys miss one change: if the text of a top
passage arrives later and equals that of a judged passage, the top passage counts as judged."""


def _judged_passages(version: QrelVersion) -> tuple[Pids, dict[str, str]]:
    """Return qid → judged pids, and pid → text key of these passages, cached for all runs of the version."""
    key = kept_objects.object_key("judged-passages", version.manifest_sha256, version.collection_id)
    found: tuple[Pids, dict[str, str]] | None = kept_objects.kept(key)
    if found is None:
        judged = judged_pids(version)
        found = judged, _class_keys(version, set().union(*judged.values()))
        kept_objects.keep_object(key, found, KEPT_SECONDS)
    return found


def judged_pids(version: QrelVersion) -> Pids:
    """Return qid → pids of the passages that the version's judgments compared, and of the others in their classes.

    Best answers are always included, because a singleton needs no judgment. Queries that were carried over from an
    earlier version are looked up in that version.
    """
    judged: Pids = defaultdict(set)
    wanted: dict[int, set[str]] = defaultdict(set)
    for qid, number in version.content.get("carried", {}).items():
        wanted[number].add(qid)
    _add_compared(judged, version, None)
    for origin in QrelVersion.objects.filter(collection=version.collection_id, number__in=wanted):
        _add_compared(judged, origin, wanted[origin.number])
    best = PreferenceQrel.objects.filter(version=version).values_list("query__qid", "passage__pid")
    for qid, pid in best:
        judged[qid].add(pid)
    return dict(judged)


def _add_compared(judged: Pids, version: QrelVersion, only: set[str] | None) -> None:
    compared = _compared_pids(version)
    for qid, members in _equal_text_classes(version.content):
        if compared[qid] & members:
            compared[qid] |= members
    for qid, found in compared.items():
        if only is None or qid in only:
            judged[qid] |= found


def _compared_pids(version: QrelVersion) -> Pids:
    """Return qid → pids of the passages that the version's own judgments compared.

    Many judgments compare the same few passages, so the pids are looked up last.
    """
    keys: dict[int, set[int]] = defaultdict(set)
    rows = Judgment.objects.filter(campaign=version.campaign_id).values_list(
        "pk", "pair__query_id", "left_id", "right_id"
    )
    for pk, query, left, right in rows.iterator(chunk_size=20_000):
        if pk in version.judgment_keys:
            keys[query].update((left, right))
    qid = {query.pk: query.qid for query in queries_by_key(keys)}
    pid = pids_by_key(set().union(*keys.values()))
    named: Pids = defaultdict(set)
    for query, passages in keys.items():
        named[qid[query]] = {pid[passage] for passage in passages}
    return named


def _equal_text_classes(manifest: dict[str, Any]) -> Iterator[tuple[str, set[str]]]:
    """Yield (qid, pids of one class) for every class of equal texts or near-duplicates in the version."""
    for row in manifest.get("queries", []):
        for members in row["classes"]:
            yield row["qid"], set(members)
    for challenge in manifest.get("challenges", []):
        for row in challenge["queries"]:
            for representative, further in row["members"].items():
                yield row["qid"], {representative, *further}


def judged_tops(
    version: QrelVersion, runs: Sequence[Run], qids: Sequence[str], perfect: dict[str, str]
) -> npt.NDArray[np.float64]:
    """Return 1 where a run's top passage was judged, else 0; shape (runs + 1, queries). The perfect run is last.

    A passage of the same class as a judged passage counts as judged. Queries for which a run has no passage have 0.
    """
    judged, key_of = _judged_passages(version)
    entries = [(place, pid) for place, qid in enumerate(qids) for pid in sorted(judged.get(qid, ()))]
    query = np.array([place for place, _ in entries], dtype=np.int64)
    wanted = Wanted(tuple(qids), query, tuple(pid for _, pid in entries))
    classes = _judged_classes(judged, key_of, qids)
    table = np.zeros((len(runs) + 1, len(qids)))
    others: dict[Top, list[int]] = defaultdict(list)
    for row, run in enumerate(runs):
        ranking = ranking_of(run, 1)
        table[row, query[find_wanted(ranking, wanted).rank == 1]] = 1
        for top in _unjudged_tops(ranking, wanted, table[row]) if classes else ():
            others[top].append(row)
    for place, qid in enumerate(qids):
        table[-1, place] = perfect.get(qid) in judged.get(qid, ())
        if not table[-1, place] and qid in perfect:
            others[place, perfect[qid]].append(len(runs))
    for place, pid in _tops_of_judged_class(version, classes, list(others)):
        table[others[place, pid], place] = 1
    return table


def returned_tops(runs: Sequence[Run], qids: Sequence[str]) -> npt.NDArray[np.float64]:
    """Return 1 where a run returned a passage, else 0; shape (runs + 1, queries). The perfect run is last, all 1."""
    place = {qid: number for number, qid in enumerate(qids)}
    table = np.zeros((len(runs) + 1, len(qids)))
    table[-1] = 1
    for row, run in enumerate(runs):
        ranking = ranking_of(run, 1)
        found = zip(ranking.qids, ranking.lengths, strict=True)
        table[row, [place[qid] for qid, length in found if length and qid in place]] = 1
    return table


def _unjudged_tops(ranking: Ranking, wanted: Wanted, judged: npt.NDArray[np.float64]) -> list[Top]:
    """Return a run's top passages that are not among the judged passages. ``judged`` has a flag for each query."""
    place = wanted.place
    rows = [
        (row, place[qid])
        for row, qid in enumerate(ranking.qids)
        if qid in place and not judged[place[qid]] and ranking.lengths[row]
    ]
    pids = ranking.spell(ranking.passages[[row for row, _ in rows]])
    return [(query, pid) for (_, query), pid in zip(rows, pids, strict=True)]


def _judged_classes(judged: Pids, key_of: dict[str, str], qids: Sequence[str]) -> dict[int, set[str]]:
    """Return query index → text keys of the query's judged passages, for passages with known texts."""
    classes = {
        place: {key_of[pid] for pid in judged.get(qid, ()) if pid in key_of} for place, qid in enumerate(qids)
    }
    return {place: keys for place, keys in classes.items() if keys}


def _tops_of_judged_class(
    version: QrelVersion, classes: dict[int, set[str]], tops: Sequence[Top]
) -> list[Top]:
    """Return the ``tops`` with the same text as a judged passage of the same query."""
    key_of = _class_keys(version, {pid for place, pid in tops if place in classes})
    return [(place, pid) for place, pid in tops if key_of.get(pid, "") in classes.get(place, ())]


def _class_keys(version: QrelVersion, pids: set[str]) -> dict[str, str]:
    keys: dict[str, str] = {}
    for part in bulk.parts(pids, KEYS_AT_ONCE):
        rows = Passage.objects.filter(collection=version.collection_id, pid__in=part).exclude(class_key="")
        keys |= dict(rows.values_list("pid", "class_key"))
    return keys
